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
 * @param counts how often each of them occurs. @default {once each}
 * @returns values and shares
 * @throws {RangeError} there are no values, one of them is not finite, or they do not have a count each
 *
 * @example
 * ```ts
 * import { exceedance } from "./exceedance.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(exceedance([3, 1, 1, 2]), { values: [1, 2, 3], shares: [1, 0.5, 0.25] });
 * assertEquals(exceedance([3, 1, 2], [1, 2, 1]), { values: [1, 2, 3], shares: [1, 0.5, 0.25] });
 * ```
 */
export function exceedance(values: ArrayLike<number>, counts?: ArrayLike<number>): Exceedance {
  checkValues(values, "exceedance");
  if (counts !== undefined && counts.length !== values.length) {
    throw new RangeError(
      `Cannot compute exceedance as each of ${values.length} values needs a count: there are ${counts.length}`,
    );
  }
  const [sorted, times] = counts === undefined
    ? [Float64Array.from(values).sort(), null]
    : ascending(values, counts);
  const total = times === null ? sorted.length : times.reduce((sum, count) => sum + count, 0);
  const distinct: number[] = [];
  const shares: number[] = [];
  let below = 0;
  sorted.forEach((value, place) => {
    if (value !== distinct.at(-1)) {
      distinct.push(value);
      shares.push((total - below) / total);
    }
    below += times === null ? 1 : times[place]!;
  });
  return { values: distinct, shares };
}

/** Values in order, each with its count. */
function ascending(
  values: ArrayLike<number>,
  counts: ArrayLike<number>,
): [values: number[], counts: number[]] {
  const places = Array.from(values, (_, place) => place).sort((left, right) =>
    values[left]! - values[right]!
  );
  return [places.map((place) => values[place]!), places.map((place) => counts[place]!)];
}
