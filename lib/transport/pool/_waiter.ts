import { AcquireError, type AcquirePhase, type AcquireTimes } from "./acquire_error.ts";
import type { Clock } from "./clock.ts";
import type { Lease, Origin } from "./options.ts";

/** A request without a connection: it waits for its turn, then for the connection that is opened for it. */
export class Waiter {
  /** Settles when it gets a connection, or leaves without one. */
  readonly lease: Promise<Lease>;
  readonly #origin: Origin;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #onSettle: (waiter: Waiter) => void;
  readonly #resolve: (lease: Lease) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onAbort = () => this.fail(this.#signal?.reason);
  readonly #times: Record<AcquirePhase, number | null> = { queue: 0, dns: null, connect: null };
  #phase: AcquirePhase = "queue";
  #phaseStartMs: number;
  #address: string | null = null;
  #settled = false;

  /**
   * @param origin where its request goes
   * @param clock time
   * @param signal makes it leave
   * @param onSettle called at once when it waits no longer, for whatever reason
   */
  constructor(
    origin: Origin,
    clock: Clock,
    signal: AbortSignal | undefined,
    onSettle: (waiter: Waiter) => void,
  ) {
    ({ promise: this.lease, resolve: this.#resolve, reject: this.#reject } = Promise.withResolvers<Lease>());
    this.#origin = origin;
    this.#clock = clock;
    this.#signal = signal;
    this.#onSettle = onSettle;
    this.#phaseStartMs = clock.now();
    signal?.addEventListener("abort", this.#onAbort);
  }

  /** Whether it waits no longer. */
  get settled(): boolean {
    return this.#settled;
  }

  /** How long each phase took, the current one so far. */
  get times(): AcquireTimes {
    return { ...this.#times, [this.#phase]: this.#clock.now() - this.#phaseStartMs };
  }

  /** Its turn has come, then the next phase of opening its connection. */
  enter(phase: AcquirePhase, address: string | null = null): void {
    const nowMs = this.#clock.now();
    this.#times[this.#phase] = nowMs - this.#phaseStartMs;
    this.#phase = phase;
    this.#phaseStartMs = nowMs;
    this.#address = address;
  }

  /** It gets a connection. */
  give(lease: Lease): void {
    if (this.#settle()) this.#resolve(lease);
  }

  /** It leaves without a connection. No cause: the queue is full. */
  fail(cause?: unknown): void {
    if (this.#settled) return;
    const why = cause === undefined
      ? "the queue is full"
      : cause instanceof Error
      ? cause.message
      : `${cause}`;
    const message = `Cannot acquire connection to ${this.#origin.hostname}:${this.#origin.port}: ${why}`;
    const how = { phase: this.#phase, times: this.times, address: this.#address };
    this.reject(new AcquireError(message, cause === undefined ? how : { ...how, cause }));
  }

  /** It leaves for a reason that is no affair of the network. */
  reject(reason: unknown): void {
    if (this.#settle()) this.#reject(reason);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#onSettle(this);
    return true;
  }
}
