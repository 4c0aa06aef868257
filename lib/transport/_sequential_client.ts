import { type Failure, failure } from "../record/mod.ts";
import { Watchdog } from "./_watchdog.ts";
import type { Client, ClientOptions, ClientVariant, Exchange, RequestOptions, Target } from "./client.ts";
import { authority, type Method } from "./http1_request.ts";

/** What a timer of the runtime can wait. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** What a request asks, with every default in place. */
export interface Asked {
  readonly method: Method;
  readonly path: string;
}

/** An exchange in which nothing happened. */
export const NOTHING: Exchange = {
  startMs: 0,
  clientMs: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  sendMs: null,
  waitMs: null,
  receiveMs: null,
  elapsedMs: 0,
  status: null,
  bodyBytes: 0,
  localPort: null,
  connection: null,
  protocol: null,
  serverCloses: null,
  failure: null,
  error: null,
};

/** What clients have in common: one request at a time, a limit in time, an end. */
export abstract class SequentialClient implements Client {
  abstract readonly variant: ClientVariant;
  abstract readonly connections: number | null;
  protected readonly target: Target;
  /** Host and port, as URLs have them. */
  protected readonly authority: string;
  protected readonly now: () => number;
  readonly #path: string;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #watchdog: Watchdog;
  readonly #onAbort = () => this.#end(this.#signal?.reason);
  #busy = false;
  /** What a request rejects with, once the client has ended. */
  #ended: { readonly reason: unknown } | null = null;

  constructor(target: Target, options: ClientOptions) {
    const { timeoutMs = 30_000, path = "/", signal, now = () => performance.now() } = options;
    if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
      throw new RangeError(
        `Cannot open client as timeoutMs must be > 0 and <= ${MAX_TIMEOUT_MS}: current value is ${timeoutMs}`,
      );
    }
    this.target = target;
    this.authority = authority(target.hostname, target.port);
    this.now = now;
    this.#path = path;
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#watchdog = new Watchdog(timeoutMs, now, () => this.cancel());
    if (signal?.aborted) this.#ended = { reason: signal.reason };
    else signal?.addEventListener("abort", this.#onAbort);
  }

  async request(options: RequestOptions = {}): Promise<Exchange> {
    this.#throwIfEnded();
    if (this.#busy) {
      throw new TypeError(
        "Cannot send request as the previous one is not answered: await it, or open another client",
      );
    }
    this.#busy = true;
    this.#watchdog.start();
    try {
      const made = await this.attempt({ method: options.method ?? "GET", path: options.path ?? this.#path });
      // What the end of the client did to the request is no failure of the network.
      this.#throwIfEnded();
      return made;
    } finally {
      this.#busy = false;
      this.#watchdog.stop();
    }
  }

  close(): void {
    this.#end(new TypeError("Cannot send request as the client is closed"));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Makes a request, and does not throw what the network does. */
  protected abstract attempt(asked: Asked): Promise<Exchange>;

  /** Ends what is under way, so that the attempt fails soon. */
  protected abstract cancel(): void;

  /** Closes what is kept. */
  protected abstract release(): void;

  /** What an attempt came to: an error of the runtime in its place, unless the time limit caused it. */
  protected judge(failed: Failure | null, error: string | null): Pick<Exchange, "failure" | "error"> {
    if (failed === null || !this.#watchdog.expired) return { failure: failed, error };
    return { failure: failure(failed.phase, "timed-out"), error: `No answer within ${this.#timeoutMs} ms` };
  }

  #throwIfEnded(): void {
    if (this.#ended) throw this.#ended.reason;
  }

  #end(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = { reason };
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#watchdog.close();
    this.cancel();
    this.release();
  }
}
