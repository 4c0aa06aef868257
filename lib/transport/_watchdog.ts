/**
 * Calls back when an exchange takes too long. One timer serves many exchanges: setting one for each would
 * take a third of the time of a short exchange.
 */
export class Watchdog {
  /** Whether the time of the current exchange is up. */
  expired = false;
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #onExpire: () => void;
  #deadline = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param limitMs how long an exchange may take
   * @param now the monotonic clock, in milliseconds
   * @param onExpire called once for an exchange that takes longer
   */
  constructor(limitMs: number, now: () => number, onExpire: () => void) {
    this.#limitMs = limitMs;
    this.#now = now;
    this.#onExpire = onExpire;
  }

  /** Begins to watch an exchange. */
  start(): void {
    this.expired = false;
    this.#deadline = this.#now() + this.#limitMs;
    if (this.#timer === undefined) this.#arm(this.#limitMs);
  }

  /** The exchange is over. The timer stays for the next one. */
  stop(): void {
    this.#deadline = Infinity;
  }

  /** Lets go of the timer, so that the process can end. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#deadline === Infinity) return;
      const leftMs = this.#deadline - this.#now();
      if (leftMs > 0) return this.#arm(Math.ceil(leftMs));
      this.expired = true;
      this.#onExpire();
    }, delayMs);
  }
}
