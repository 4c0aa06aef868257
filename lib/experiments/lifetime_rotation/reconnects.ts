import type { TableData } from "../../record/mod.ts";

/** In what time reconnects are counted, in the experiment's milliseconds. */
export const PEAK_WINDOW_MS = 100;

/** When connections were opened anew. */
export interface Reconnects {
  /** When, since the first ones were opened, in real milliseconds, ascending. */
  readonly timesMs: readonly number[];
  /** How many could not be opened. */
  readonly failed: number;
  /** The longest that nobody had looked before one was opened, in real milliseconds. */
  readonly coarsestMs: number;
}

/**
 * When the connections of a jitter were opened anew; those of the beginning are none.
 *
 * @param table the table of reconnects
 * @param jitter the jitter
 */
export function reconnectTimes(table: TableData, jitter: number): Reconnects {
  const [jitters, atMs, sinceMs] = ["jitter", "atMs", "sinceMs"]
    .map((name) => table.numbers(name)) as [Float64Array, Float64Array, Float64Array];
  const [first, kinds] = [table.texts("first"), table.texts("failureKind")];
  const rows = [...jitters.keys()].filter((row) => jitters[row] === jitter);
  const anew = rows.filter((row) => first[row] === "false" && kinds[row] === null);
  return {
    timesMs: anew.map((row) => atMs[row]!).sort((left, right) => left - right),
    failed: rows.filter((row) => kinds[row] !== null).length,
    coarsestMs: anew.reduce((most, row) => Math.max(most, sinceMs[row]!), 0),
  };
}

/** How many events lie in a window that slides over them. */
export interface WindowCounts {
  /** When the number changes. */
  readonly timesMs: readonly number[];
  /** How many events there were from the length of the window before until then. */
  readonly counts: readonly number[];
}

/**
 * Counts events in a window that slides over them: an event is in it from when it happens until the length of
 * the window later.
 *
 * @param timesMs when they happened, ascending
 * @param windowMs the length of the window
 * @returns the count at each time at which it changes
 *
 * @example
 * ```ts
 * import { slide } from "./reconnects.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(slide([10, 15, 60], 100), { timesMs: [10, 15, 60, 110, 115, 160], counts: [1, 2, 3, 2, 1, 0] });
 * ```
 */
export function slide(timesMs: readonly number[], windowMs: number): WindowCounts {
  const steps = [
    ...timesMs.map((ms) => ({ ms, by: 1 })),
    ...timesMs.map((ms) => ({ ms: ms + windowMs, by: -1 })),
  ].sort((left, right) => left.ms - right.ms || left.by - right.by);
  let count = 0;
  const all = steps.map(({ ms, by }) => ({ ms, count: count += by }));
  // Of what happens at one time, the last is what the window holds from then on.
  const kept = all.filter(({ ms }, index) => ms !== all[index + 1]?.ms);
  return { timesMs: kept.map(({ ms }) => ms), counts: kept.map(({ count }) => count) };
}

/**
 * The most events in any window of a length.
 *
 * @param timesMs when they happened, ascending
 * @param windowMs the length of the window
 */
export function peakWithin(timesMs: readonly number[], windowMs: number): number {
  return slide(timesMs, windowMs).counts.reduce((most, count) => Math.max(most, count), 0);
}
