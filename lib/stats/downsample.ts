/** What {@linkcode downsample} keeps. */
export interface Downsampled {
  /** The places of the points that are kept, ascending. */
  readonly kept: readonly number[];
  /** How many points were left out. */
  readonly leftOut: number;
}

/** What {@linkcode downsample} takes. */
export interface DownsampleOptions {
  /** How many points may be kept, at least 4. @default {4000} */
  limit?: number;
}

/**
 * Chooses the points that a line cannot do without. The range of x is cut into columns of equal width, and
 * of each column the first, the last, the lowest and the highest point are kept: where a column is a pixel
 * wide, the line drawn is the same. No extreme is lost.
 *
 * Source: U. Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", PVLDB 7 (2014).
 *
 * @param x where each point lies on the axis as it is drawn: its logarithm on a logarithmic axis
 * @param y how high each point lies
 * @param options how many points may be kept
 * @returns the places of the points to keep, and how many are left out
 * @throws {RangeError} x and y differ in length, a place is not finite, or the limit is below 4
 *
 * @example
 * ```ts
 * import { downsample } from "./downsample.ts";
 * import { assertEquals } from "@std/assert";
 * const y = [0, 0, 0, 9, 0, 0, 0, 0];
 * assertEquals(downsample(y.map((_, index) => index), y, { limit: 4 }), { kept: [0, 3, 7], leftOut: 5 });
 * ```
 */
export function downsample(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  options: DownsampleOptions = {},
): Downsampled {
  const { limit = 4000 } = options;
  if (!(limit >= 4)) {
    throw new RangeError(`Cannot decimate points as the limit must be >= 4: current value is ${limit}`);
  }
  if (x.length !== y.length) {
    throw new RangeError(
      `Cannot decimate points as each needs an x and a y: there are ${x.length} and ${y.length}`,
    );
  }
  let from = Infinity;
  let to = -Infinity;
  for (let index = 0; index < x.length; index++) {
    if (!Number.isFinite(x[index]) || !Number.isFinite(y[index])) {
      throw new RangeError(
        `Cannot decimate points as every place must be finite: point ${index} is at ${x[index]}, ${y[index]}`,
      );
    }
    from = Math.min(from, x[index]!);
    to = Math.max(to, x[index]!);
  }
  if (x.length <= limit) return { kept: Array.from({ length: x.length }, (_, index) => index), leftOut: 0 };

  const columns = Math.floor(limit / 4);
  const scale = to > from ? columns / (to - from) : 0;
  const first = new Int32Array(columns).fill(-1);
  const last = new Int32Array(columns);
  const lowest = new Int32Array(columns);
  const highest = new Int32Array(columns);
  for (let index = 0; index < x.length; index++) {
    const column = Math.min(columns - 1, Math.floor((x[index]! - from) * scale));
    if (first[column] === -1) first[column] = lowest[column] = highest[column] = index;
    last[column] = index;
    if (y[index]! < y[lowest[column]!]!) lowest[column] = index;
    if (y[index]! > y[highest[column]!]!) highest[column] = index;
  }
  const kept = new Set<number>();
  for (let column = 0; column < columns; column++) {
    if (first[column] === -1) continue;
    for (const chosen of [first, lowest, highest, last]) kept.add(chosen[column]!);
  }
  return { kept: [...kept].sort((a, b) => a - b), leftOut: x.length - kept.size };
}
