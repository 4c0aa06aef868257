import { quantile } from "../../stats/mod.ts";

/** What a server answered with so many connections. */
export interface RatePoint {
  /** Connections, each with a request on its way all the time. */
  readonly connections: number;
  /** Responses per second. */
  readonly ratePerSecond: number;
}

/** Where more connections bring no more responses. */
export interface Plateau {
  /** From so many connections on. */
  readonly from: number;
  /** The rate there: the median of the rates on it. */
  readonly ratePerSecond: number;
  /** How far the rates on it are from that at most, as a share of it. */
  readonly spread: number;
}

/** Rates this close together are one: a share of their median. */
export const PLATEAU_TOLERANCE = 0.1;

/**
 * Finds the plateau of a server's rate: the fewest connections from which on every rate stays as near to their
 * median as is allowed. Two points at least are needed, of which the second has twice the connections of the first
 * or more: a rate that still rises has no plateau.
 *
 * @param points the rates, in any order, one for a number of connections
 * @param tolerance how far from the median a rate on it may be, as a share of the median
 * @returns the plateau; `null` when there is none
 *
 * @example
 * ```ts
 * import { findPlateau } from "./plateau.ts";
 * import { assertEquals } from "@std/assert";
 * const rates = [100, 195, 250, 240, 252];
 * const points = rates.map((ratePerSecond, power) => ({ connections: 2 ** power, ratePerSecond }));
 * assertEquals(findPlateau(points), { from: 4, ratePerSecond: 250, spread: 0.04 });
 * ```
 */
export function findPlateau(
  points: readonly RatePoint[],
  tolerance: number = PLATEAU_TOLERANCE,
): Plateau | null {
  const ordered = points.toSorted((left, right) => left.connections - right.connections);
  const last = ordered.at(-1);
  for (const [place, { connections: from }] of ordered.entries()) {
    if (last!.connections < 2 * from) return null;
    const rates = ordered.slice(place).map(({ ratePerSecond }) => ratePerSecond);
    const spread = spreadOf(rates);
    if (spread <= tolerance) return { from, ratePerSecond: quantile(rates, 0.5), spread };
  }
  return null;
}

/** The largest distance of rates from their median, as a share of it. */
function spreadOf(rates: readonly number[]): number {
  const median = quantile(rates, 0.5);
  if (median <= 0) return Infinity;
  return Math.max(...rates.map((rate) => Math.abs(rate - median))) / median;
}
