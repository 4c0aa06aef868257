import { linearRegression } from "simple-statistics";
import { checkValues } from "./_check.ts";

/** A straight line through points. */
export interface LinearFit {
  /** What y gains for each unit of x. */
  readonly slope: number;
  /** Where the line is at x = 0. */
  readonly intercept: number;
  /** Lower end of the slope's 95 % interval; `null` with fewer than three points. */
  readonly low: number | null;
  /** Upper end of it. */
  readonly high: number | null;
}

/**
 * The 0.975 quantiles of Student's t distribution for 1, 2, … degrees of freedom.
 *
 * Source: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
 */
// deno-fmt-ignore -- ten a line, as in the source
const T_975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
  2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086,
  2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** For more degrees of freedom than that: of the normal distribution, a little too narrow. */
const NORMAL_975 = 1.96;

/**
 * The least-squares line through some points, and the interval of its slope: how much of it the scatter leaves open,
 * where the points scatter about a line, each by itself.
 *
 * Source: NIST/SEMATECH e-Handbook of Statistical Methods, 4.4.3.1 and 4.4.4.1.
 *
 * @param x where the points lie along x, at least two places that differ
 * @param y where they lie along y, as many
 * @returns the line
 * @throws {RangeError} a value is not finite, there are not as many of the one as of the other, or x is all the same
 *
 * @example
 * ```ts
 * import { linearFit } from "./linear_fit.ts";
 * import { assertAlmostEquals, assertEquals } from "@std/assert";
 * const { slope, intercept, low, high } = linearFit([100, 200, 300], [1300, 2200, 3400]);
 * assertAlmostEquals(slope, 10.5);
 * assertAlmostEquals(intercept, 200);
 * assertEquals([low! < 10, high! > 11], [true, true]);
 * ```
 */
export function linearFit(x: readonly number[], y: readonly number[]): LinearFit {
  checkValues(x, "line");
  checkValues(y, "line");
  if (x.length !== y.length) {
    throw new RangeError(`Cannot compute line as there are ${x.length} places for ${y.length} values`);
  }
  if (new Set(x).size < 2) throw new RangeError("Cannot compute line as x must have two places that differ");
  const { m: slope, b: intercept } = linearRegression(x.map((place, index) => [place, y[index]!]));
  const freedom = x.length - 2;
  if (freedom < 1) return { slope, intercept, low: null, high: null };
  const center = x.reduce((sum, place) => sum + place, 0) / x.length;
  const spread = x.reduce((sum, place) => sum + (place - center) ** 2, 0);
  const scatter = x.reduce((sum, place, index) => sum + (y[index]! - intercept - slope * place) ** 2, 0);
  const half = (T_975[freedom - 1] ?? NORMAL_975) * Math.sqrt(scatter / freedom / spread);
  return { slope, intercept, low: slope - half, high: slope + half };
}
