import type { ExchangeTools } from "../exchange.ts";
import { ResponseParser } from "../http1_response.ts";
import type { AcquireOptions, Lease } from "./options.ts";
import type { FailedAttempt } from "./pooled_exchange.ts";

const BUFFER_BYTES = 65_536;
const NONE: readonly FailedAttempt[] = [];

/** Why a request is ended: its time is up, or nobody wants it any more. */
export type Ending = "timeout" | { readonly reason: unknown };

/**
 * A request under way: how far it is, what it works with, and a way to end it in whatever phase it is. One serves
 * request after request, as to make its buffer and parser anew takes longer than a short request may.
 */
export class Flight implements AcquireOptions {
  readonly tools: ExchangeTools;
  /** When the request began. */
  startMs = 0;
  /** How long it has waited for its turn. */
  queuedMs = 0;
  failedAttempts: readonly FailedAttempt[] = NONE;
  /** Why it was ended; `null` when it was not. One that was ended serves no other request. */
  ended: Ending | null = null;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.end({ reason: this.#wanted?.reason });
  #wanted: AbortSignal | undefined;
  #lease: Lease | null = null;

  /** @param now the clock */
  constructor(now: () => number) {
    this.tools = { buffer: new Uint8Array(BUFFER_BYTES), parser: new ResponseParser(), now };
  }

  /** Ends its wait for a connection. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * A request begins.
   *
   * @param startMs when
   * @param wanted ends it once nobody wants it any more
   */
  begin(startMs: number, wanted: AbortSignal | undefined): void {
    this.startMs = startMs;
    this.queuedMs = 0;
    this.failedAttempts = NONE;
    this.#wanted = wanted;
    wanted?.addEventListener("abort", this.#onAbort);
  }

  /** It gets a connection. */
  use(lease: Lease): void {
    this.queuedMs += lease.queuedMs;
    this.#lease = lease;
    if (this.ended) lease.connection.close();
  }

  /** It gives the connection back. @returns how long the request took */
  release(lease: Lease, reusable: boolean): number {
    this.#lease = null;
    return lease.release(reusable && this.ended === null) - this.startMs;
  }

  /** The request is over. */
  finish(): void {
    this.#wanted?.removeEventListener("abort", this.#onAbort);
    this.#wanted = undefined;
  }

  /** Ends it: what it waits for fails. */
  end(why: Ending): void {
    if (this.ended) return;
    this.ended = why;
    this.#controller.abort();
    this.#lease?.connection.close();
  }
}
