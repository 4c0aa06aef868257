/** What came of a connection that paused before its one request. */
export interface Trial {
  /** The pause, in milliseconds. */
  readonly pauseMs: number;
  /** Whether the request was answered. */
  readonly answered: boolean;
}

/** Where a limit lies: a pause that was survived, and one that was not. */
export interface Bracket {
  /** The longest pause that was survived, in milliseconds; 0 when none was. */
  readonly lowMs: number;
  /** The shortest pause that was not, in milliseconds; `null` when all were. */
  readonly highMs: number | null;
}

/** How {@linkcode nextPauses} searches. */
export interface SearchOptions {
  /** How many pauses are tried side by side, at least 2. */
  readonly width: number;
  /** The longest pause that there is time for, in milliseconds. */
  readonly longestMs: number;
}

/** A bracket as narrow as this, as a share of its upper end, is found. */
const PRECISION = 0.05;

/** A bracket as narrow as this is found too, in milliseconds: timers and schedulers are no finer. */
const FINEST_MS = 50;

/**
 * The longest pause of the first round is so many times its shortest. Of a limit above half of the budget no
 * second round can tell more, so the first has to be fine there; one far below is closed in on in a few rounds.
 */
const SPAN = 4;

/**
 * Where the limit lies, as far as trials tell. Where a longer pause was survived than one that was not, the
 * lower end stays below the loss: it is the loss that a client has to fear.
 *
 * @param trials what was tried
 * @returns the bracket
 */
export function bracketOf(trials: readonly Trial[]): Bracket {
  const pauses = (answered: boolean) =>
    trials.filter((trial) => trial.answered === answered).map(({ pauseMs }) => pauseMs);
  const lost = Math.min(...pauses(false));
  const lowMs = Math.max(0, ...pauses(true).filter((pauseMs) => pauseMs < lost));
  return { lowMs, highMs: lost === Infinity ? null : lost };
}

/**
 * The pauses to try next, side by side. The first round spans what there is time for, evenly on a logarithmic
 * scale; every later one divides the bracket evenly: a bisection that, with `width` connections at once, leaves
 * one part in `width + 1` and not one half.
 *
 * @param trials what was tried so far
 * @param options width, and what there is time for
 * @returns the pauses in milliseconds, ascending; none when the limit is found, lies beyond every pause, or
 * there is no time
 *
 * @example
 * ```ts
 * import { nextPauses } from "./search.ts";
 * import { assertEquals } from "@std/assert";
 * const options = { width: 3, longestMs: 16_000 };
 * assertEquals(nextPauses([], options), [4000, 8000, 16_000]);
 * const trials = [{ pauseMs: 4000, answered: true }, { pauseMs: 8000, answered: false }];
 * assertEquals(nextPauses(trials, options), [5000, 6000, 7000]);
 * ```
 */
export function nextPauses(trials: readonly Trial[], options: SearchOptions): number[] {
  const { width, longestMs } = options;
  if (longestMs <= 0) return [];
  const places = Array.from({ length: width }, (_, place) => place);
  if (trials.length === 0) return places.map((place) => longestMs * SPAN ** (place / (width - 1) - 1));
  const { lowMs, highMs } = bracketOf(trials);
  if (highMs === null || highMs - lowMs <= Math.max(FINEST_MS, PRECISION * highMs)) return [];
  const step = (highMs - lowMs) / (width + 1);
  return places.map((place) => lowMs + step * (place + 1)).filter((pauseMs) => pauseMs <= longestMs);
}
