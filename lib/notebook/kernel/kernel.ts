import { CONFIG_PATH, Program } from "../../harness/mod.ts";
import { CannotRunHereError, type Json } from "../../record/mod.ts";
import type { GuardEvent } from "./_guard_event.ts";
import { settlesWithin } from "./_patience.ts";
import { ZmtpSocket } from "./_socket.ts";
import type { Connection } from "./connection.ts";
import { type KernelEnd, KernelEndedError, KernelStreamError } from "./errors.ts";
import { type Content, decodeMessage, encodeRequest, type KernelMessage } from "./wire.ts";

/** How to start a {@linkcode Kernel}. */
export interface KernelOptions {
  /** The folder that it works in: relative imports and `deno.json` are looked for from there. @default {"."} */
  cwd?: string;
  /** How long it may take to become ready, in milliseconds. @default {30000} */
  timeoutMs?: number;
  /** Gives up starting it. */
  signal?: AbortSignal;
}

/** What {@linkcode Kernel.execute} takes beside the code. */
export interface ExecuteOptions {
  /** Runs without counting, and without showing the value of the last expression. @default {false} */
  silent?: boolean;
  /** Takes what the code shows, in order, and what came before it since the last execution. @default {nobody} */
  onMessage?: (message: KernelMessage) => void;
}

/** The kernel's answer to {@linkcode Kernel.execute}. */
export interface ExecuteReply {
  /** The number of the execution. */
  readonly executionCount: number;
  /** What the code threw; `null` when it ran to its end. */
  readonly error: KernelError | null;
}

/** An error as the kernel tells it. */
export interface KernelError {
  /** The name of its class. */
  readonly ename: string;
  /** Its message. */
  readonly evalue: string;
  /** Its stack, a line each. */
  readonly traceback: readonly string[];
}

const GUARD = new URL("guard_main.ts", import.meta.url);
const GUARD_RIGHTS = ["--allow-run", "--allow-write", "--allow-net=127.0.0.1"];
/** Another process can take a port between the choice and the start. */
const ATTEMPTS = 3;
const CONNECT_PAUSE_MS = 10;
const READY_PAUSE_MS = 250;
const END_GRACE_MS = 2000;
const MARKER = "connlab_marker";

/**
 * A Deno kernel of one's own, spoken to over the Jupyter protocol. It has every right, as Deno gives it to
 * kernels. It dies with this process, however that ends.
 *
 * Needs `--allow-run=deno` and `--allow-net=127.0.0.1`.
 *
 * The kernel hands outputs on through a queue that is not in step with its replies: an output may come
 * after the reply, and under the name of the next request. {@linkcode Kernel.execute} therefore sends a
 * marker through the same queue, and what comes before the marker belongs to the execution.
 *
 * @example
 * ```ts ignore
 * await using kernel = await Kernel.start({ cwd: "notebooks" });
 * await kernel.execute("console.log(6 * 7)", { onMessage: ({ content }) => console.log(content) });
 * ```
 */
export class Kernel implements AsyncDisposable {
  /** Its process id. */
  readonly pid: number;
  /** Settles when it has ended. */
  readonly ended: Promise<KernelEnd>;
  readonly #guard: Program;
  readonly #connection: Connection;
  readonly #session = crypto.randomUUID();
  readonly #sockets: ZmtpSocket[] = [];
  readonly #pumps: Promise<void>[] = [];
  readonly #replies = new Map<string, (message: KernelMessage) => void>();
  readonly #idle = new Map<string, () => void>();
  readonly #gone = Promise.withResolvers<never>();
  #shell!: ZmtpSocket;
  #control!: ZmtpSocket;
  #languageInfo: Readonly<Record<string, Json>> = {};
  #onMessage: ((message: KernelMessage) => void) | null = null;
  #backlog: KernelMessage[] = [];
  #killed = false;
  #marker: { readonly id: string; readonly seen: () => void } | null = null;

  private constructor(guard: Program, { pid, connection }: GuardEvent & { type: "started" }) {
    this.#guard = guard;
    this.pid = pid;
    this.#connection = connection;
    this.#gone.promise.catch(() => {/* whoever waits for an answer is told */});
    this.ended = this.#untilEnded();
  }

  /**
   * Starts a kernel and waits until it answers.
   *
   * @param options folder, patience, interruption
   * @returns the kernel
   * @throws {CannotRunHereError} it does not start
   */
  static async start(options: KernelOptions = {}): Promise<Kernel> {
    const { cwd = ".", timeoutMs = 30_000, signal } = options;
    for (let attempt = 1;; attempt++) {
      const guard = new Program(GUARD, { config: CONFIG_PATH, permissions: GUARD_RIGHTS, args: [cwd] });
      const timer = AbortSignal.timeout(timeoutMs);
      const stop = () => void guard.end();
      const givenUp = signal ? AbortSignal.any([signal, timer]) : timer;
      givenUp.addEventListener("abort", stop);
      try {
        return await Kernel.#open(guard, givenUp);
      } catch (error) {
        await guard.end();
        signal?.throwIfAborted();
        const end = error instanceof KernelEndedError ? error.end : null;
        if (end?.stderr.includes("AddrInUse") && attempt < ATTEMPTS) continue;
        const why = timer.aborted
          ? `it did not answer within ${timeoutMs} ms`
          : error instanceof Error
          ? error.message
          : String(error);
        throw new CannotRunHereError(
          `Cannot start the Deno kernel as ${why}${end?.stderr ? `: ${end.stderr}` : ""}`,
          "Run `deno jupyter --kernel --help` to see whether this Deno has a kernel, then try again",
        );
      } finally {
        givenUp.removeEventListener("abort", stop);
      }
    }
  }

  /** What it tells of its language: name, version, MIME type and more. */
  get languageInfo(): Readonly<Record<string, Json>> {
    return this.#languageInfo;
  }

  /**
   * Executes code, one piece at a time.
   *
   * @param code TypeScript
   * @param options what becomes of its outputs
   * @returns the kernel's answer, when every output has been handed on
   * @throws {KernelEndedError} the kernel ended before it answered
   * @throws {KernelStreamError} what it sent cannot be read
   */
  async execute(code: string, options: ExecuteOptions = {}): Promise<ExecuteReply> {
    const { silent = false, onMessage = () => {} } = options;
    this.#listen(onMessage);
    try {
      const { content } = await this.#request(this.#shell, "execute_request", execution(code, silent));
      await this.#drain();
      const { ename, evalue, traceback } = content as Partial<KernelError>;
      return {
        executionCount: content.execution_count as number,
        error: content.status === "ok"
          ? null
          : { ename: ename ?? "Error", evalue: evalue ?? "", traceback: traceback ?? [] },
      };
    } finally {
      this.#listen(null);
    }
  }

  /** Kills it, with the processes that its cells started. Whoever waits for an answer gets an error. */
  async kill(): Promise<void> {
    this.#killed = true;
    await this.#guard.end();
    for (const socket of this.#sockets) socket[Symbol.dispose]();
    await Promise.allSettled(this.#pumps);
  }

  /** Asks it to end, and kills it when it does not. */
  async shutdown(): Promise<void> {
    this.#askToEnd();
    await settlesWithin(this.ended, END_GRACE_MS);
    await this.kill();
  }

  /** Kills it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  static async #open(guard: Program, signal: AbortSignal): Promise<Kernel> {
    const started = await guard.next() as GuardEvent | null;
    if (started?.type === "refused") throw new Error(started.message);
    if (started?.type !== "started") throw new Error("its guard ended without a word");
    const kernel = new Kernel(guard, started);
    try {
      await Promise.race([
        kernel.#connect(signal),
        kernel.ended.then((end) => {
          throw new KernelEndedError(end);
        }),
      ]);
      return kernel;
    } catch (error) {
      // A kernel that finds a port taken ends by itself, but not before whoever took it has answered.
      if (!signal.aborted) await settlesWithin(kernel.ended, END_GRACE_MS);
      await kernel.kill();
      const end = await kernel.ended;
      throw end.code !== null && end.signal === null ? new KernelEndedError(end) : error;
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { ip, iopub_port, shell_port, control_port } = this.#connection;
    const open = async (type: "SUB" | "DEALER", port: number) => {
      for (;;) {
        this.#throwIfEnded(signal);
        try {
          const socket = await ZmtpSocket.connect(type, ip, port);
          this.#sockets.push(socket);
          return socket;
        } catch (error) {
          if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
          await new Promise((resolve) => setTimeout(resolve, CONNECT_PAUSE_MS));
        }
      }
    };
    const outputs = await open("SUB", iopub_port);
    this.#shell = await open("DEALER", shell_port);
    this.#control = await open("DEALER", control_port);
    this.#pumps.push(
      this.#pump(outputs, (message) => this.#onOutput(message)).then(() => this.#onOutputsEnd()),
      ...[this.#shell, this.#control].map((socket) =>
        this.#pump(socket, (message) => this.#onReply(message))
      ),
    );
    await this.#untilReady(signal);
  }

  /** The kernel publishes to nobody until it has seen the subscription: ask until a status comes. */
  async #untilReady(signal: AbortSignal): Promise<void> {
    const idle = Promise.withResolvers<void>();
    for (;;) {
      this.#throwIfEnded(signal);
      const id = crypto.randomUUID();
      this.#idle.set(id, idle.resolve);
      const reply = this.#request(this.#shell, "kernel_info_request", {}, id);
      reply.catch(() => {/* the answer to another question is as good */});
      if (!await settlesWithin(Promise.race([idle.promise, this.#gone.promise]), READY_PAUSE_MS)) continue;
      this.#languageInfo = (await reply).content.language_info as Readonly<Record<string, Json>>;
      this.#idle.clear();
      return;
    }
  }

  #throwIfEnded(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#killed) throw new Error("it was killed");
  }

  async #request(socket: ZmtpSocket, type: string, content: Content, id: string = crypto.randomUUID()) {
    const reply = Promise.withResolvers<KernelMessage>();
    this.#replies.set(id, reply.resolve);
    const date = new Date().toISOString();
    const parts = encodeRequest({ id, type, session: this.#session, date, content }, this.#connection.key);
    // A kernel that is gone cannot be written to; `#gone` says how it went.
    socket.send(parts).catch(() => {});
    try {
      return await Promise.race([reply.promise, this.#gone.promise]);
    } finally {
      this.#replies.delete(id);
    }
  }

  /** Waits until everything that was shown so far has come. */
  async #drain(): Promise<void> {
    const seen = Promise.withResolvers<void>();
    const id = crypto.randomUUID();
    this.#marker = { id, seen: seen.resolve };
    const code = `globalThis.Deno.jupyter.broadcast(${JSON.stringify(MARKER)}, { id: ${
      JSON.stringify(id)
    } })`;
    const { content } = await this.#request(this.#shell, "execute_request", execution(code, true));
    if (content.status !== "ok") {
      throw new KernelStreamError(
        `Cannot tell the outputs of cells apart as Deno.jupyter.broadcast fails: ${content.evalue}`,
      );
    }
    await Promise.race([seen.promise, this.#gone.promise]);
  }

  #listen(onMessage: ((message: KernelMessage) => void) | null): void {
    this.#onMessage = onMessage;
    if (onMessage) { for (const message of this.#backlog.splice(0)) onMessage(message); }
  }

  #onReply(message: KernelMessage): void {
    this.#replies.get(message.parentId ?? "")?.(message);
  }

  #onOutput(message: KernelMessage): void {
    const { type, parentId, content } = message;
    if (type === "execute_input") return;
    if (type === "status") {
      if (content.execution_state === "idle") this.#idle.get(parentId ?? "")?.();
    } else if (type === MARKER) {
      if (content.id === this.#marker?.id) this.#marker?.seen();
    } else if (this.#onMessage) this.#onMessage(message);
    else this.#backlog.push(message);
  }

  /** The outputs end with the kernel, when the last one has been handed on. */
  async #onOutputsEnd(): Promise<void> {
    this.#gone.reject(new KernelEndedError(await this.ended));
  }

  async #pump(socket: ZmtpSocket, onMessage: (message: KernelMessage) => void): Promise<void> {
    try {
      for await (const parts of socket.messages()) onMessage(decodeMessage(parts, this.#connection.key));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#gone.reject(
        new KernelStreamError(
          `${why}. An output of several megabytes can do that: show less at once`,
        ),
      );
      void this.kill();
    }
  }

  async #untilEnded(): Promise<KernelEnd> {
    const event = await this.#guard.next() as GuardEvent | null;
    if (event?.type === "ended") return { code: event.code, signal: event.signal, stderr: event.stderr };
    // The guard was killed, and nobody but the kernel itself can end the kernel now.
    this.#askToEnd();
    return { code: null, signal: null, stderr: "" };
  }

  #askToEnd(): void {
    this.#request(this.#control, "shutdown_request", { restart: false }).catch(() => {});
  }
}

function execution(code: string, silent: boolean): Content {
  return {
    code,
    silent,
    store_history: !silent,
    user_expressions: {},
    allow_stdin: false,
    stop_on_error: true,
  };
}
