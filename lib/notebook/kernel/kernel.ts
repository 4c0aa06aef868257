import { CONFIG_PATH, Program } from "../../harness/mod.ts";
import { CannotRunHereError, type Json } from "../../record/mod.ts";
import type { GuardEvent } from "./_guard_event.ts";
import { settlesWithin } from "./_patience.ts";
import { type KernelEnd, KernelEndedError } from "./errors.ts";
import { type ExecuteOptions, type ExecuteReply, KernelSession } from "./session.ts";

/** How to start a {@linkcode Kernel}. */
export interface KernelOptions {
  /** The folder that it works in: relative imports and `deno.json` are looked for from there. @default {"."} */
  cwd?: string;
  /** How long it may take to become ready, in milliseconds. @default {30000} */
  timeoutMs?: number;
  /** Gives up starting it. */
  signal?: AbortSignal;
}

const GUARD = new URL("guard_main.ts", import.meta.url);
const GUARD_RIGHTS = ["--allow-run", "--allow-write", "--allow-net=127.0.0.1"];
/** Another process can take a port between the choice and the start. */
const ATTEMPTS = 3;
const END_GRACE_MS = 2000;

/**
 * A Deno kernel of one's own. It has every right, as Deno gives it to kernels. It dies with this process,
 * however that ends.
 *
 * Needs `--allow-run=deno` and `--allow-net=127.0.0.1`.
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
  readonly #session: KernelSession;

  private constructor(guard: Program, pid: number, session: KernelSession, ended: Promise<KernelEnd>) {
    this.#guard = guard;
    this.pid = pid;
    this.#session = session;
    this.ended = ended;
    this.#watch();
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
      const patience = AbortSignal.timeout(timeoutMs);
      try {
        return await Kernel.#attempt(cwd, signal ? AbortSignal.any([signal, patience]) : patience);
      } catch (error) {
        signal?.throwIfAborted();
        const stderr = error instanceof KernelEndedError ? error.end.stderr : "";
        if (stderr.includes("AddrInUse") && attempt < ATTEMPTS) continue;
        const why = patience.aborted ? `it did not answer within ${timeoutMs} ms` : (error as Error).message;
        throw new CannotRunHereError(
          `Cannot start the Deno kernel as ${why}${stderr === "" ? "" : `: ${stderr}`}`,
          "Run `deno jupyter --help` to see whether this Deno has a kernel, then try again",
        );
      }
    }
  }

  /** What it tells of its language: name, version, MIME type and more. */
  get languageInfo(): Readonly<Record<string, Json>> {
    return this.#session.languageInfo;
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
    return await this.#session.execute(code, options);
  }

  /** Kills it, with the processes that its cells started. Whoever waits for an answer gets an error. */
  async kill(): Promise<void> {
    await this.#guard.end();
    this.#session[Symbol.dispose]();
    await this.#session.closed;
  }

  /** Asks it to end, and kills it when it does not. */
  async shutdown(): Promise<void> {
    this.#session.askToEnd();
    await settlesWithin(this.ended, END_GRACE_MS);
    await this.kill();
  }

  /** Kills it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  static async #attempt(cwd: string, signal: AbortSignal): Promise<Kernel> {
    const guard = new Program(GUARD, { config: CONFIG_PATH, permissions: GUARD_RIGHTS, args: [cwd] });
    const over = new AbortController();
    const stop = () => void guard.end();
    signal.addEventListener("abort", stop);
    try {
      const event = await guard.next() as GuardEvent | null;
      if (event?.type === "refused") throw new Error(event.message);
      if (event?.type !== "started") throw new Error("its guard ended without a word");
      const ended = untilEnded(guard);
      ended.then((end) => over.abort(new KernelEndedError(end)));
      try {
        const session = await KernelSession.connect(event.connection, AbortSignal.any([signal, over.signal]));
        return new Kernel(guard, event.pid, session, ended);
      } catch (error) {
        // A kernel that finds a port taken ends by itself, but not before whoever took it has answered.
        if (!signal.aborted) await settlesWithin(ended, END_GRACE_MS);
        throw over.signal.aborted ? over.signal.reason : error;
      }
    } catch (error) {
      await guard.end();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Tells whoever waits for an answer that none will come, when every output has been handed on. */
  async #watch(): Promise<void> {
    // A guard that was killed cannot kill any more.
    this.ended.then(({ code }) => code === null && this.#session.askToEnd());
    const unreadable = await this.#session.closed;
    if (unreadable) {
      this.#session.fail(unreadable);
      await this.#guard.end();
    } else this.#session.fail(new KernelEndedError(await this.ended));
  }
}

/** How the kernel ended, in the words of its guard. */
async function untilEnded(guard: Program): Promise<KernelEnd> {
  const event = await guard.next() as GuardEvent | null;
  return event?.type === "ended"
    ? { code: event.code, signal: event.signal, stderr: event.stderr }
    : { code: null, signal: null, stderr: "" };
}
