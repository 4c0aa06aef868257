/** How often a thread looks at its event loop, in milliseconds. */
const INTERVAL_MS = 50;

/** A delay is remembered for as long as this, or up to twice as long, in milliseconds. */
const WINDOW_MS = 1000;

/**
 * How late an event loop comes round to what is due. Node's `monitorEventLoopDelay` tells nothing under Deno 2.9: a
 * loop that was blocked for 100 ms shows 3 µs.
 */
export class LoopDelay {
  #dueMs: number;
  #windowMs: number;
  #largest = 0;
  #largestBefore = 0;

  /**
   * @param nowMs the time, in milliseconds on a monotonic clock
   */
  constructor(nowMs: number) {
    this.#windowMs = nowMs;
    this.#dueMs = nowMs + INTERVAL_MS;
  }

  /** Watches the loop of the calling thread, for as long as that lives. */
  static watch(): LoopDelay {
    const delay = new LoopDelay(performance.now());
    const look = () => {
      delay.tick(performance.now());
      setTimeout(look, INTERVAL_MS);
    };
    setTimeout(look, INTERVAL_MS);
    return delay;
  }

  /**
   * Notes that the loop has come round.
   *
   * @param nowMs the time; the loop is due again an interval later
   */
  tick(nowMs: number): void {
    this.#turn(nowMs);
    this.#largest = Math.max(this.#largest, nowMs - this.#dueMs);
    this.#dueMs = nowMs + INTERVAL_MS;
  }

  /**
   * The largest delay of late, one that still lasts included.
   *
   * @param nowMs the time
   * @returns the delay, in milliseconds
   */
  largestMs(nowMs: number): number {
    this.#turn(nowMs);
    return Math.max(this.#largest, this.#largestBefore, nowMs - this.#dueMs);
  }

  /** Forgets what was before the last window. */
  #turn(nowMs: number): void {
    const windows = Math.floor((nowMs - this.#windowMs) / WINDOW_MS);
    if (windows < 1) return;
    this.#largestBefore = windows === 1 ? this.#largest : 0;
    this.#largest = 0;
    this.#windowMs += windows * WINDOW_MS;
  }
}
