import type { MeasureContext, TableSchemas } from "../contract.ts";

/**
 * The time that a run has for each request to a server of the person's own, which may be far away, or slow, in
 * milliseconds. It is a mean over the run: one request may take longer.
 */
export const TARGET_REQUEST_MS = 100;

/** What a run takes at most beside its rounds: first requests, and the one that is under way at the end. */
export const TARGET_MARGIN_MS = 60_000;

/** What a timer of the runtime can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Measures a server of the person's own until the time is over that the budget has for it. What was measured
 * until then stands, and that it is less than was asked for is told.
 *
 * @param limitMs the time, in milliseconds
 * @param context what the measurement is given
 * @param work measures; a signal tells it to stop
 */
export async function endInTime<T extends TableSchemas>(
  limitMs: number,
  context: MeasureContext<T>,
  work: (context: MeasureContext<T>) => Promise<void>,
): Promise<void> {
  const over = AbortSignal.timeout(Math.min(limitMs, LONGEST_MS));
  await work({ ...context, signal: AbortSignal.any([context.signal, over]) });
  if (!over.aborted || context.signal.aborted) return;
  context.warn({
    code: "time-over",
    message:
      `The target is slow: after ${Math.round(limitMs / 1000)} s not all rounds were made, and those ` +
      "that were made are what counts",
    remedy: "Ask for fewer requests a round (--requests)",
  });
}
