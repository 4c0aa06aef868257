import { mean, quantileSorted } from "simple-statistics";
import { checkValues } from "./_check.ts";

function sort(values: ArrayLike<number>): number[] {
  return Array.from(Float64Array.from(values).sort());
}

/**
 * A quantile, interpolated linearly between the two nearest values: the definition that R and NumPy take
 * unless told otherwise.
 *
 * Source: R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician
 * 50 (1996), definition 7.
 *
 * @param values the numbers, in any order
 * @param p which quantile, from 0 (the smallest value) to 1 (the largest)
 * @returns the quantile, in the unit of the values
 * @throws {RangeError} there are no values, one of them is not finite, or `p` is out of range
 *
 * @example
 * ```ts
 * import { quantile } from "./quantile.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(quantile([4, 1, 3, 2], 0.5), 2.5);
 * ```
 */
export function quantile(values: ArrayLike<number>, p: number): number {
  checkValues(values, "quantile");
  if (!(p >= 0 && p <= 1)) {
    throw new RangeError(`Cannot compute quantile as p must be from 0 to 1: current value is ${p}`);
  }
  return quantileSorted(sort(values), p);
}

/** What {@linkcode summary} says of some numbers, in their unit. */
export interface Summary {
  /** How many there are. */
  readonly count: number;
  /** Their arithmetic mean. */
  readonly mean: number;
  /** Half of them are at most this. */
  readonly median: number;
  /** Nine in ten are at most this. */
  readonly p90: number;
  /** Ninety-nine in a hundred are at most this. */
  readonly p99: number;
  /** The smallest. */
  readonly min: number;
  /** The largest. */
  readonly max: number;
}

/**
 * Describes some numbers. Quantiles are those of {@linkcode quantile}; with fewer than a hundred values
 * the 99th percentile says little more than the maximum.
 *
 * @param values the numbers, in any order
 * @returns count, mean, quantiles and extremes
 * @throws {RangeError} there are no values, or one of them is not finite
 *
 * @example
 * ```ts
 * import { summary } from "./quantile.ts";
 * import { assertEquals } from "@std/assert";
 * const { count, mean, median, max } = summary([1, 2, 9]);
 * assertEquals({ count, mean, median, max }, { count: 3, mean: 4, median: 2, max: 9 });
 * ```
 */
export function summary(values: ArrayLike<number>): Summary {
  checkValues(values, "summary");
  const sorted = sort(values);
  return {
    count: sorted.length,
    mean: mean(sorted),
    median: quantileSorted(sorted, 0.5),
    p90: quantileSorted(sorted, 0.9),
    p99: quantileSorted(sorted, 0.99),
    min: sorted[0]!,
    max: sorted.at(-1)!,
  };
}
