const CONFIDENCE = 0.95;
const BISECTIONS = 60;

/** The probability of at most `count` of `total` events of probability `p`, for counts that are small. */
function atMost(count: number, total: number, p: number): number {
  if (p >= 1) return count >= total ? 1 : 0;
  let term = (1 - p) ** total;
  let sum = term;
  for (let k = 1; k <= count; k++) {
    term *= (total - k + 1) / k * p / (1 - p);
    sum += term;
  }
  return Math.min(1, sum);
}

/**
 * The largest share that events may have of which `count` were seen in `total`, at a confidence of 95 %. None
 * in `total` is not 0 %: it is at most about 3 ÷ `total`, the rule of three.
 *
 * Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
 * of the binomial", Biometrika 26 (1934), one-sided; J. A. Hanley and A. Lippman-Hand, "If nothing goes
 * wrong, is everything all right?", JAMA 249 (1983).
 *
 * @param count how many were seen
 * @param total of how many, at least 1
 * @returns the upper bound, 0 to 1
 * @throws {RangeError} there are no draws, or more events than draws
 *
 * @example
 * ```ts
 * import { upperBound } from "./bound.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(upperBound(0, 100).toFixed(4), "0.0295");
 * assertEquals(upperBound(5, 5), 1);
 * ```
 */
export function upperBound(count: number, total: number): number {
  if (!(total >= 1 && count >= 0 && count <= total)) {
    throw new RangeError(`Cannot bound a share as ${count} of ${total} is none`);
  }
  if (count === total) return 1;
  if (count === 0) return 1 - (1 - CONFIDENCE) ** (1 / total);
  let [low, high] = [count / total, 1];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (atMost(count, total, middle) > 1 - CONFIDENCE) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * A count with the largest share that it may stand for, in words.
 *
 * @param count how many were seen
 * @param total of how many
 * @returns such as `0 of 60 (at most 4.9 %)`
 */
export function describeCount(count: number, total: number): string {
  if (total === 0) return "0 of 0";
  return `${count} of ${total} (at most ${(upperBound(count, total) * 100).toPrecision(2)} %)`;
}
