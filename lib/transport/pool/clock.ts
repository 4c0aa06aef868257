/** What a timer of the runtime can wait: one that is told more fires at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Time as a pool sees it, so that its tests do not sleep. */
export interface Clock {
  /** The monotonic clock, in milliseconds. */
  now(): number;
  /**
   * Calls back once after a time. It may do so early, so that whoever is called looks at the clock.
   *
   * @param callback what is called
   * @param delayMs after how long, in milliseconds
   * @returns cancels it
   */
  after(callback: () => void, delayMs: number): () => void;
}

/**
 * The monotonic clock and the timers of the runtime.
 *
 * @example
 * ```ts
 * import { systemClock } from "./clock.ts";
 * const cancel = systemClock.after(() => console.log("a second has passed"), 1000);
 * cancel();
 * ```
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (callback, delayMs) => {
    // Timers count whole milliseconds and drop the rest.
    const timer = setTimeout(callback, Math.min(Math.ceil(delayMs), MAX_DELAY_MS));
    return () => clearTimeout(timer);
  },
};
