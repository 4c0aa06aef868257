import { quantile, summary } from "../../stats/mod.ts";
import { upperBound } from "./bound.ts";
import type { CellRow } from "./cell.ts";
import { isPair } from "./outcome.ts";

/** What one's own gaps would come to with one variant. */
export interface Cost {
  /** Requests that fail, in a million. */
  readonly failuresPerMillion: Quantity;
  /** What a request takes longer than on a connection that is open, in milliseconds. */
  readonly addedMs: Quantity;
}

/** A number with its interval, or why there is none. */
export interface Quantity {
  /** The number; `null` where there is none. */
  readonly value: number | null;
  /** Lower end of its interval. */
  readonly low: number | null;
  /** Upper end of its interval. */
  readonly high: number | null;
  /** Why there is no number. */
  readonly reason: string | null;
}

/** How the replay draws. */
export interface CostOptions {
  /** Random numbers in [0, 1), for the intervals. */
  readonly random: () => number;
  /** How long the client keeps an idle connection, in milliseconds. */
  readonly clientIdleMs: number;
}

const MILLION = 1e6;
const RESAMPLES = 400;
const TAIL = 0.025;

/** What was measured at one pause: the time of each second request, `null` where it failed. */
interface Point {
  readonly pauseMs: number;
  readonly elapsedMs: readonly (number | null)[];
}

function pointsOf(pairs: readonly CellRow[]): Point[] {
  return [...Map.groupBy(pairs, ({ pauseMs }) => pauseMs!)].map(([pauseMs, rows]) => ({
    pauseMs,
    elapsedMs: rows.map(({ failureKind, elapsedMs }) => failureKind === null ? elapsedMs : null),
  }));
}

/** The times of the second requests with one outcome. */
function timesOf(pairs: readonly CellRow[], wanted: string): readonly number[] {
  return pairs.filter(({ outcome }) => outcome === wanted).map(({ elapsedMs }) => elapsedMs!);
}

/** The point whose pause is nearest; the first and the last stand for everything beyond. */
function nearest(points: readonly Point[], gapMs: number): Point {
  return points.reduce((best, point) =>
    Math.abs(point.pauseMs - gapMs) < Math.abs(best.pauseMs - gapMs) ? point : best
  );
}

function none(reason: string): Quantity {
  return { value: null, low: null, high: null, reason };
}

/**
 * Replays gaps on what was measured: no request is sent for it. A gap fares as the nearest pause did; one that
 * is longer than the client's idle timeout gets a new connection, as the client gives the old one up by itself.
 * Intervals are 95 % percentile bootstraps over the gaps, and over the pairs measured at each pause; where no
 * failure comes out, the upper end is the largest share that those pairs leave open. What a request takes longer
 * has no number where its interval includes 0.
 *
 * @param cells the pairs of one variant
 * @param gapsMs the gaps, in milliseconds
 * @param options random numbers, and when the client gives a connection up
 * @returns the cost
 */
export function costOf(cells: readonly CellRow[], gapsMs: readonly number[], options: CostOptions): Cost {
  const { random, clientIdleMs } = options;
  const pairs = cells.filter(({ outcome }) => isPair(outcome));
  const points = pointsOf(pairs);
  if (points.length === 0) {
    const missing = none("No pair was measured");
    return { failuresPerMillion: missing, addedMs: missing };
  }
  const anew: Point = { pauseMs: clientIdleMs, elapsedMs: timesOf(pairs, "new connection") };
  const fates = gapsMs.map((gapMs) => {
    const point = nearest(points, gapMs);
    // The longest pause may lie below the timeout: what is longer than both is a new connection for sure.
    return gapMs >= clientIdleMs && point.pauseMs < clientIdleMs ? anew : point;
  });
  const replay = new Replay(fates, timesOf(pairs, "reused"));
  const draws = Array.from({ length: RESAMPLES }, () => replay.resample(random));
  const used = new Set(fates);
  used.delete(anew);
  return {
    failuresPerMillion: failures(replay.outcome, draws, used),
    addedMs: replay.kept.length === 0
      ? none("No connection was used again: there is nothing to compare with")
      : added(replay.outcome, draws),
  };
}

/** What gaps come to. */
interface Totals {
  readonly failedShare: number;
  /** `null` where no request is answered. */
  readonly addedMs: number | null;
}

/** Gaps with what was measured of them, as they are and drawn again. */
class Replay {
  readonly kept: readonly number[];
  readonly outcome: Totals;
  readonly #fates: readonly Point[];

  constructor(fates: readonly Point[], kept: readonly number[]) {
    this.#fates = fates;
    this.kept = kept;
    this.outcome = this.#sum(fates, (values) => values);
  }

  /** Draws gaps, and at each pause pairs, with replacement. */
  resample(random: () => number): Totals {
    const drawn = <T>(values: readonly T[]) =>
      values.map(() => values[Math.floor(random() * values.length)]!);
    return this.#sum(drawn(this.#fates), drawn);
  }

  #sum(fates: readonly Point[], of: <T>(values: readonly T[]) => readonly T[]): Totals {
    const counts = new Map<Point, number>();
    for (const fate of fates) counts.set(fate, (counts.get(fate) ?? 0) + 1);
    let [failed, answered, timeMs] = [0, 0, 0];
    for (const [{ elapsedMs }, count] of counts) {
      if (elapsedMs.length === 0) continue;
      const pairs = of(elapsedMs);
      const each = count / pairs.length;
      for (const ms of pairs) {
        if (ms === null) failed += each;
        else [answered, timeMs] = [answered + each, timeMs + each * ms];
      }
    }
    return {
      failedShare: failed / fates.length,
      addedMs: answered === 0 || this.kept.length === 0
        ? null
        : timeMs / answered - summary(of(this.kept)).mean,
    };
  }
}

function interval(
  draws: readonly (number | null)[],
): { readonly low: number | null; readonly high: number | null } {
  const values = draws.filter((draw) => draw !== null);
  if (values.length === 0) return { low: null, high: null };
  return { low: quantile(values, TAIL), high: quantile(values, 1 - TAIL) };
}

/** A time whose interval holds 0 is no time: it may as well be saved. */
function added({ addedMs }: Totals, draws: readonly Totals[]): Quantity {
  if (addedMs === null) return none("No request of such gaps is answered");
  const { low, high } = interval(draws.map((draw) => draw.addedMs));
  if (low === null || high === null || low > 0 || high < 0) {
    return { value: addedMs, low, high, reason: null };
  }
  return { value: null, low, high, reason: "Lost in the noise: its 95 % interval includes 0" };
}

function failures({ failedShare }: Totals, draws: readonly Totals[], used: ReadonlySet<Point>): Quantity {
  if (failedShare > 0) {
    const value = failedShare * MILLION;
    return { value, ...interval(draws.map((draw) => draw.failedShare * MILLION)), reason: null };
  }
  const pairs = [...used].reduce((total, { elapsedMs }) => total + elapsedMs.length, 0);
  return { value: 0, low: 0, high: pairs === 0 ? MILLION : upperBound(0, pairs) * MILLION, reason: null };
}
