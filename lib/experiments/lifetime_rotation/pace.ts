import { pause } from "../../system/mod.ts";

/** When things are due. */
export interface Schedule {
  /** When the first is due, on the clock. */
  readonly startMs: number;
  /** Time from one to the next, in milliseconds. */
  readonly intervalMs: number;
  /** How many there are. */
  readonly count: number;
}

/** What waiting depends on. */
export interface Pacing {
  /** The monotonic clock, in milliseconds. */
  now(): number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Waits until a time has come; less long when the signal aborts.
 *
 * @param dueMs the time, on the clock
 * @param pacing clock and signal
 */
export async function untilDue(dueMs: number, { now, signal }: Pacing): Promise<void> {
  // A timer may fire a little early.
  for (let left = dueMs - now(); left > 0 && !signal.aborted; left = dueMs - now()) await pause(left, signal);
}

/**
 * Begins one thing after another at fixed times, whether or not those before it are done: lateness does not
 * add up, as it would with a pause after each.
 *
 * @param schedule when they are due
 * @param begin begins the one of a place, from 0, that was due at a time
 * @param pacing clock and signal
 * @returns resolves when all that began are done
 */
export async function pace(
  schedule: Schedule,
  begin: (place: number, dueMs: number) => Promise<void>,
  pacing: Pacing,
): Promise<void> {
  const { startMs, intervalMs, count } = schedule;
  const begun: Promise<void>[] = [];
  for (let place = 0; place < count; place++) {
    const dueMs = startMs + place * intervalMs;
    await untilDue(dueMs, pacing);
    if (pacing.signal.aborted) break;
    begun.push(begin(place, dueMs));
  }
  await Promise.all(begun);
}
