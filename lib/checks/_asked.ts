import { LineSplitter } from "../system/mod.ts";

/** No answer takes as long as this: a program that says nothing is killed. */
const PATIENCE_MS = 30_000;

/** A program of a bench that answers each line on its standard input with a line on its standard output. */
export class Asked implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncGenerator<string>;

  /** @param command the program and its words; it ends with its standard input */
  constructor([program, ...args]: readonly string[]) {
    this.#child = new Deno.Command(program!, { args, stdin: "piped", stdout: "piped", stderr: "inherit" })
      .spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#lines = lines(this.#child.stdout);
  }

  /** Its process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /**
   * Asks for an answer.
   *
   * @param question what it is told, one line
   * @returns the answer
   * @throws {Error} it has ended
   */
  async ask(question = ""): Promise<string> {
    await this.#input.write(new TextEncoder().encode(`${question}\n`));
    return await this.next();
  }

  /**
   * Waits for what it says unasked.
   *
   * @returns the next line
   * @throws {Error} it has ended, or says nothing
   */
  async next(): Promise<string> {
    // Killed, it ends the wait for its next line.
    const watchdog = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    try {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error("The program of the bench ended before its time");
      return value;
    } finally {
      clearTimeout(watchdog);
    }
  }

  /** Ends it, and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {/* it has ended already */});
    await this.#lines.return(undefined);
    await this.#child.status;
  }
}

async function* lines(output: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const text of output.pipeThrough(new TextDecoderStream())) yield* splitter.take(text);
}
