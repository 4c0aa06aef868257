/**
 * How far two limits lie apart at most for the sake of timers, in milliseconds. It is what Node.js subtracts from
 * an advertised limit (`http.Agent`, `agentKeepAliveTimeoutBuffer`, default 1000).
 */
export const TIMER_MARGIN_MS: number = 1000;

/**
 * How much shorter than an idle limit a timeout has to be, for the sake of timers: a second, as many are no
 * finer, but no more than half of the limit.
 *
 * @param limitMs the limit, in milliseconds
 * @returns the margin, in milliseconds
 *
 * @example
 * ```ts
 * import { timerMarginMs } from "./timer_margin.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals([60_000, 2000, 1000, 0].map(timerMarginMs), [1000, 1000, 500, 0]);
 * ```
 */
export function timerMarginMs(limitMs: number): number {
  return Math.min(TIMER_MARGIN_MS, limitMs / 2);
}
