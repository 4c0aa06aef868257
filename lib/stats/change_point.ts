import { checkValues } from "./_check.ts";
import { quantile } from "./quantile.ts";

/** Where some numbers change their level. */
export interface ChangePoint {
  /** How many numbers come before the change: the place of the first one after it. */
  readonly index: number;
  /** The median of the numbers before it. */
  readonly before: number;
  /** The median of those from it on. */
  readonly after: number;
  /** By how much the level changes: `after` divided by `before`. */
  readonly ratio: number;
  /** The share of the variance of the logarithms that the two levels explain, from 0 to 1. */
  readonly explained: number;
}

/** What {@linkcode changePoint} takes for a change. */
export interface ChangePointOptions {
  /**
   * The least factor between the two medians, upwards or downwards: among thousands of numbers, a level that drifts
   * by a hundredth is significant and nothing to speak of. @default {1.5}
   */
  leastRatio?: number;
  /** The least share of the variance that two levels must explain, from 0 to 1. @default {0.25} */
  leastExplained?: number;
}

/** Fewer numbers than these on either side have no level of their own. */
const LEAST_ON_A_SIDE = 20;

/** Nor have those of a smaller share: they are the tail of what came before. */
const LEAST_SHARE = 0.02;

/**
 * The one place, if there is any, at which the level of a series changes for good: a step. It is the split into two
 * levels that explains most of the variance, the first one of binary segmentation. Levels are of logarithms, so that
 * a slow one among many does not count for more than it should, and what is told of them are medians. With at least
 * 20 numbers, and 2 % of them, on either side, noise alone does not come near a quarter of the variance.
 *
 * Source: A. J. Scott and M. Knott, "A Cluster Analysis Method for Grouping Means in the Analysis of Variance",
 * Biometrics 30 (1974).
 *
 * @param values the numbers, in the order in which they came, each above 0
 * @param options what counts as a change
 * @returns the change; `null` when there is none
 * @throws {RangeError} there are no values, or one is not finite or not above 0
 *
 * @example
 * ```ts
 * import { changePoint } from "./change_point.ts";
 * import { assertEquals } from "@std/assert";
 * const step = [...Array(30).fill(13), ...Array(20).fill(260)];
 * assertEquals(changePoint(step)?.index, 30);
 * assertEquals(changePoint(step)?.ratio, 20);
 * assertEquals(changePoint(Array(50).fill(13)), null);
 * ```
 */
export function changePoint(
  values: ArrayLike<number>,
  options: ChangePointOptions = {},
): ChangePoint | null {
  const { leastRatio = 1.5, leastExplained = 0.25 } = options;
  checkValues(values, "change-point");
  const all = Float64Array.from(values);
  const wrong = all.findIndex((value) => value <= 0);
  if (wrong >= 0) {
    throw new RangeError(
      `Cannot compute change-point as every value must be above 0: value ${wrong} is ${all[wrong]}`,
    );
  }
  const { index, explained } = bestSplit(all.map(Math.log));
  if (index === 0 || explained < leastExplained) return null;
  const [before, after] = [quantile(all.subarray(0, index), 0.5), quantile(all.subarray(index), 0.5)];
  const ratio = after / before;
  return Math.max(ratio, 1 / ratio) < leastRatio ? null : { index, before, after, ratio, explained };
}

/** The split into two levels that leaves least variance within them; index 0 when there is none. */
function bestSplit(levels: Float64Array): { readonly index: number; readonly explained: number } {
  const count = levels.length;
  const mean = levels.reduce((sum, level) => sum + level, 0) / count;
  const total = levels.reduce((sum, level) => sum + (level - mean) ** 2, 0);
  const least = Math.max(LEAST_ON_A_SIDE, Math.ceil(count * LEAST_SHARE));
  let [sum, index, most] = [0, 0, 0];
  for (let before = 1; before <= count - least; before++) {
    sum += levels[before - 1]! - mean;
    if (before < least) continue;
    const between = sum ** 2 * count / (before * (count - before));
    if (between > most) [index, most] = [before, between];
  }
  return { index, explained: total > 0 ? most / total : 0 };
}
