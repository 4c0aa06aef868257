import { checkValues } from "./_check.ts";

/** How large a share of some numbers is at least so large, for each of them. */
export interface Exceedance {
  /** The values that occur, ascending, each once. */
  readonly values: readonly number[];
  /** For each of them the share of all numbers that are at least as large: from 1 down to 1 / count. */
  readonly shares: readonly number[];
}

/**
 * The tail of some numbers: the complement of their empirical distribution function, with every value in
 * it. Drawn over a logarithmic axis of shares it gives the slowest one in a hundred, in a thousand and so
 * on the same room, which a histogram does not.
 *
 * Source: the percentile plot of HdrHistogram, https://hdrhistogram.github.io/HdrHistogram/.
 *
 * @param values the numbers, in any order
 * @returns values and shares
 * @throws {RangeError} there are no values, or one of them is not finite
 *
 * @example
 * ```ts
 * import { exceedance } from "./exceedance.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(exceedance([3, 1, 1, 2]), { values: [1, 2, 3], shares: [1, 0.5, 0.25] });
 * ```
 */
export function exceedance(values: ArrayLike<number>): Exceedance {
  checkValues(values, "exceedance");
  const sorted = Float64Array.from(values).sort();
  const distinct: number[] = [];
  const shares: number[] = [];
  sorted.forEach((value, below) => {
    if (below > 0 && value === sorted[below - 1]) return;
    distinct.push(value);
    shares.push((sorted.length - below) / sorted.length);
  });
  return { values: distinct, shares };
}
