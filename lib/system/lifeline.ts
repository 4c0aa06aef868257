import { LineSplitter } from "./lines.ts";

/** Why a process was told to end: it was asked to, or its parent is gone. */
export type EndReason = "stop" | "orphaned";

/** Options of {@linkcode Lifeline}. */
export interface LifelineOptions {
  /** Where the parent speaks. @default {standard input} */
  readonly input?: ReadableStream<Uint8Array>;
}

const MESSAGES: Readonly<Record<EndReason, string>> = {
  stop: "The process was asked to stop",
  orphaned: "The parent of the process is gone",
};

/**
 * Ties a child process to its parent by the pipe on its standard input. A line `stop` asks it to end, the
 * end of the pipe says that the parent is gone, however it died; every other line is a message. So that
 * nothing survives its parent, a child makes one of these first and ends when `signal` aborts. SIGTERM
 * counts as `stop`. A line that the parent did not finish is dropped.
 *
 * Needs no right. While it is held the process does not end by itself.
 *
 * @example
 * ```ts ignore
 * using lifeline = new Lifeline();
 * const { text } = JSON.parse(await lifeline.nextLine() ?? "{}");
 * const server = Deno.serve({ port: 0, signal: lifeline.signal }, () => new Response(text));
 * await server.finished;
 * ```
 */
export class Lifeline implements Disposable {
  readonly #controller = new AbortController();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #lines: string[] = [];
  readonly #waiting: ((line: string | null) => void)[] = [];
  readonly #onTerminate = () => this.#end("stop");
  #reason: EndReason | null = null;
  #disposed = false;

  /**
   * Begins to watch.
   *
   * @param options where the parent speaks
   */
  constructor(options: LifelineOptions = {}) {
    this.#reader = (options.input ?? Deno.stdin.readable).getReader();
    // Windows has no SIGTERM to listen to.
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", this.#onTerminate);
    this.#watch();
  }

  /** Aborts once, when the process is to end; its reason is an `AbortError` that says why. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the process is to end; `null` while it is not. */
  get reason(): EndReason | null {
    return this.#reason;
  }

  /**
   * The next message of the parent.
   *
   * @returns the line without its end; `null` when the process is to end and every message was taken
   */
  nextLine(): Promise<string | null> {
    const line = this.#lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.#reason !== null || this.#disposed) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets go of the input, so that the process can end. `signal` does not abort any more. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    if (Deno.build.os !== "windows") Deno.removeSignalListener("SIGTERM", this.#onTerminate);
    this.#release();
    this.#reader.cancel().catch(() => {/* the input broke: there is nothing left to let go of */});
  }

  async #watch(): Promise<void> {
    const decoder = new TextDecoder();
    const splitter = new LineSplitter();
    try {
      for (;;) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        for (const line of splitter.take(decoder.decode(value, { stream: true }))) {
          this.#take(line.endsWith("\r") ? line.slice(0, -1) : line);
        }
      }
    } catch {
      // An input that breaks tells the same as one that ends.
    }
    this.#end("orphaned");
  }

  #take(line: string): void {
    if (line === "stop") return this.#end("stop");
    if (this.#reason !== null) return;
    const waiting = this.#waiting.shift();
    if (waiting) waiting(line);
    else this.#lines.push(line);
  }

  #end(reason: EndReason): void {
    if (this.#reason !== null || this.#disposed) return;
    this.#reason = reason;
    this.#release();
    this.#controller.abort(new DOMException(MESSAGES[reason], "AbortError"));
  }

  /** Whoever waits for a message learns that none will come. */
  #release(): void {
    for (const waiting of this.#waiting.splice(0)) waiting(null);
  }
}
