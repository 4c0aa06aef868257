/**
 * A time for people, in seconds with a point in every locale.
 *
 * @param ms the time, in milliseconds
 * @returns such as `12.5 s`
 *
 * @example
 * ```ts
 * import { secondsText } from "./time_text.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals([0, 5, 1998, 59_000].map(secondsText), ["0 s", "0.005 s", "2 s", "59 s"]);
 * ```
 */
export function secondsText(ms: number): string {
  const digits = ms < 1000 ? 3 : ms < 100_000 ? 2 : 1;
  return `${Number((ms / 1000).toFixed(digits))} s`;
}

/**
 * The range of some times for people.
 *
 * @param timesMs the times in milliseconds, at least one
 * @returns such as `2 to 2.1 s`; one time where all look the same
 */
export function rangeText(timesMs: readonly number[]): string {
  const [low, high] = [Math.min(...timesMs), Math.max(...timesMs)].map(secondsText) as [string, string];
  return low === high ? low : `${low.replace(/ s$/, "")} to ${high}`;
}
