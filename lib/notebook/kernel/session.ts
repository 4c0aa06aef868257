import type { Json } from "../../record/mod.ts";
import { settlesWithin } from "./_patience.ts";
import { ZmtpSocket } from "./_socket.ts";
import type { Connection } from "./connection.ts";
import { KernelStreamError } from "./errors.ts";
import { type Content, decodeMessage, encodeRequest, type KernelMessage } from "./wire.ts";
import type { ZmtpSocketType } from "./zmtp.ts";

/** What {@linkcode KernelSession.execute} takes beside the code. */
export interface ExecuteOptions {
  /** Runs without counting, and without showing the value of the last expression. @default {false} */
  silent?: boolean;
  /** Takes what the code shows, in order, and what came before it since the last execution. @default {nobody} */
  onMessage?: (message: KernelMessage) => void;
}

/** The kernel's answer to {@linkcode KernelSession.execute}. */
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

const CONNECT_PAUSE_MS = 10;
const READY_PAUSE_MS = 250;
const MARKER = "connlab_marker";

/**
 * A conversation with a kernel over the Jupyter protocol.
 *
 * The kernel hands outputs on through a queue that is not in step with its replies: an output may come
 * after the reply, and under the name of the next request. {@linkcode KernelSession.execute} therefore
 * sends a marker through the same queue, and what comes before the marker belongs to the execution.
 *
 * Source: https://jupyter-client.readthedocs.io/en/stable/messaging.html
 */
export class KernelSession implements Disposable {
  /** Settles when nothing more comes from the kernel: with the reason where it is not the kernel's end. */
  readonly closed: Promise<KernelStreamError | null>;
  readonly #connection: Connection;
  readonly #id = crypto.randomUUID();
  readonly #outputs: ZmtpSocket;
  readonly #shell: ZmtpSocket;
  readonly #control: ZmtpSocket;
  readonly #replies = new Map<string, (message: KernelMessage) => void>();
  readonly #idle = new Map<string, () => void>();
  readonly #gone = Promise.withResolvers<never>();
  #languageInfo: Readonly<Record<string, Json>> = {};
  #onMessage: ((message: KernelMessage) => void) | null = null;
  #backlog: KernelMessage[] = [];
  #marker: { readonly id: string; readonly seen: () => void } | null = null;

  private constructor(connection: Connection, [outputs, shell, control]: readonly ZmtpSocket[]) {
    this.#connection = connection;
    this.#outputs = outputs!;
    this.#shell = shell!;
    this.#control = control!;
    this.#gone.promise.catch(() => {/* whoever waits for an answer is told */});
    this.closed = this.#untilClosed();
  }

  /**
   * Connects to a kernel, as soon as it listens, and waits until it answers.
   *
   * @param connection where it listens
   * @param signal gives up
   * @returns the conversation
   * @throws {Error} what listens there is no kernel, or `signal` aborted
   */
  static async connect(connection: Connection, signal: AbortSignal): Promise<KernelSession> {
    const sockets: ZmtpSocket[] = [];
    try {
      // The kernel listens on the port for outputs last.
      sockets.push(await open("SUB", connection.ip, connection.iopub_port, signal));
      sockets.push(await open("DEALER", connection.ip, connection.shell_port, signal));
      sockets.push(await open("DEALER", connection.ip, connection.control_port, signal));
      const session = new KernelSession(connection, sockets);
      await session.#untilReady(signal);
      return session;
    } catch (error) {
      for (const socket of sockets) socket[Symbol.dispose]();
      throw error;
    }
  }

  /** What the kernel tells of its language: name, version, MIME type and more. */
  get languageInfo(): Readonly<Record<string, Json>> {
    return this.#languageInfo;
  }

  /**
   * Executes code, one piece at a time.
   *
   * @param code TypeScript
   * @param options what becomes of its outputs
   * @returns the kernel's answer, when every output has been handed on
   * @throws what {@linkcode KernelSession.fail} was given meanwhile
   */
  async execute(code: string, options: ExecuteOptions = {}): Promise<ExecuteReply> {
    const { silent = false, onMessage = () => {} } = options;
    this.#listen(onMessage);
    try {
      const { content } = await this.#request(this.#shell, "execute_request", execution(code, silent));
      await this.#drain();
      const { ename = "Error", evalue = "", traceback = [] } = content as Partial<KernelError>;
      return {
        executionCount: content.execution_count as number,
        error: content.status === "ok" ? null : { ename, evalue, traceback },
      };
    } finally {
      this.#listen(null);
    }
  }

  /** Asks the kernel to end; it does even in a busy loop. */
  askToEnd(): void {
    this.#request(this.#control, "shutdown_request", { restart: false }).catch(() => {/* it has ended */});
  }

  /**
   * Ends the conversation: whoever waits for an answer, now or later, gets an error.
   *
   * @param error the error
   */
  fail(error: Error): void {
    this.#gone.reject(error);
  }

  /** Closes the connections. */
  [Symbol.dispose](): void {
    for (const socket of [this.#outputs, this.#shell, this.#control]) socket[Symbol.dispose]();
  }

  /** The kernel publishes to nobody until it has seen the subscription: ask until a status comes. */
  async #untilReady(signal: AbortSignal): Promise<void> {
    const idle = Promise.withResolvers<void>();
    const closed = this.closed.then((why) => Promise.reject(why ?? new Error("it closed the connection")));
    closed.catch(() => {/* once it is ready, `fail` tells */});
    for (;;) {
      signal.throwIfAborted();
      const id = crypto.randomUUID();
      this.#idle.set(id, idle.resolve);
      const reply = this.#request(this.#shell, "kernel_info_request", {}, id);
      reply.catch(() => {/* the answer to another question is as good */});
      if (!await settlesWithin(Promise.race([idle.promise, closed]), READY_PAUSE_MS)) continue;
      this.#languageInfo = (await reply).content.language_info as Readonly<Record<string, Json>>;
      this.#idle.clear();
      return;
    }
  }

  async #request(socket: ZmtpSocket, type: string, content: Content, id: string = crypto.randomUUID()) {
    const reply = Promise.withResolvers<KernelMessage>();
    this.#replies.set(id, reply.resolve);
    const date = new Date().toISOString();
    const parts = encodeRequest({ id, type, session: this.#id, date, content }, this.#connection.key);
    socket.send(parts).catch(() => {/* the kernel is gone: `fail` says how */});
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
    const code = `globalThis.Deno.jupyter.broadcast("${MARKER}", { id: "${id}" })`;
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
    if (!onMessage) return;
    for (const message of this.#backlog.splice(0)) onMessage(message);
  }

  async #untilClosed(): Promise<KernelStreamError | null> {
    const replies = [this.#shell, this.#control].map((socket) =>
      this.#pump(socket, (message) => this.#replies.get(message.parentId ?? "")?.(message))
    );
    const outputs = this.#pump(this.#outputs, (message) => this.#onOutput(message));
    try {
      await Promise.race([outputs, ...replies.map((reply) => reply.then(() => outputs))]);
      return null;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return new KernelStreamError(`${why}. An output of several megabytes can do that: show less at once`);
    }
  }

  async #pump(socket: ZmtpSocket, onMessage: (message: KernelMessage) => void): Promise<void> {
    for await (const parts of socket.messages()) onMessage(decodeMessage(parts, this.#connection.key));
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
}

async function open(type: ZmtpSocketType, hostname: string, port: number, signal: AbortSignal) {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ZmtpSocket.connect(type, hostname, port);
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      await new Promise((resolve) => setTimeout(resolve, CONNECT_PAUSE_MS));
    }
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
