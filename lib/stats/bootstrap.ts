import { mean, quantileSorted, sum } from "simple-statistics";
import { checkValues } from "./_check.ts";

/**
 * From how many values on an interval is given. Resampling cannot reach beyond the smallest and the
 * largest value, and these enclose the median of what the values were drawn from with a probability of
 * 1 − 2^(1 − n): 94 % with five values, but 75 % with three. Fewer cannot honestly be called 95 %.
 */
export const LEAST_FOR_INTERVAL = 5;

/** A number with its bootstrap interval, in the unit of what was measured. */
export interface Estimate {
  /** The number, from the values as they are. */
  readonly value: number;
  /** Lower end of its interval; `null` with fewer than {@linkcode LEAST_FOR_INTERVAL} values. */
  readonly low: number | null;
  /** Upper end of its interval; `null` with fewer than {@linkcode LEAST_FOR_INTERVAL} values. */
  readonly high: number | null;
}

/** How the bootstrap draws. */
export interface BootstrapOptions {
  /** Random numbers in [0, 1): the interval is the same for the same numbers. */
  random: () => number;
  /** How many samples are drawn, at least 100. @default {2000} */
  resamples?: number;
  /** The share of intervals that are meant to hold the true value, between 0 and 1. @default {0.95} */
  confidence?: number;
}

/**
 * The statistic over samples of `count` indices drawn with replacement, and the quantiles that leave out
 * the same share of them at either end.
 */
function percentileInterval(
  count: number,
  statistic: (sample: Uint32Array) => number,
  options: BootstrapOptions,
): { readonly low: number | null; readonly high: number | null } {
  const { random, resamples = 2000, confidence = 0.95 } = options;
  if (!Number.isInteger(resamples) || resamples < 100) {
    throw new RangeError(
      `Cannot compute interval as resamples must be a whole number >= 100: current value is ${resamples}`,
    );
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(
      `Cannot compute interval as confidence must be between 0 and 1: current value is ${confidence}`,
    );
  }
  if (count < LEAST_FOR_INTERVAL) return { low: null, high: null };
  const sample = new Uint32Array(count);
  const drawn = Float64Array.from({ length: resamples }, () => {
    for (let place = 0; place < count; place++) sample[place] = Math.floor(random() * count);
    return statistic(sample);
  });
  const sorted = Array.from(drawn.sort());
  const tail = (1 - confidence) / 2;
  return { low: quantileSorted(sorted, tail), high: quantileSorted(sorted, 1 - tail) };
}

function sumAt(values: ArrayLike<number>, sample: Uint32Array): number {
  let total = 0;
  for (const index of sample) total += values[index]!;
  return total;
}

/**
 * The mean with its percentile bootstrap interval. The values are taken as independent draws: give one
 * value a round, not the requests within a round, which share its luck.
 *
 * Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), section 13.3.
 *
 * @param values the numbers
 * @param options the random numbers and how many samples are drawn
 * @returns the mean and its interval
 * @throws {RangeError} there are no values, one of them is not finite, or an option is out of range
 *
 * @example
 * ```ts
 * import { bootstrapMean } from "./bootstrap.ts";
 * import { randomSource } from "./random.ts";
 * import { assert, assertEquals } from "@std/assert";
 * const { value, low, high } = bootstrapMean([9, 10, 11, 10, 10], { random: randomSource(1) });
 * assertEquals(value, 10);
 * assert(low! >= 9 && low! < 10 && high! > 10 && high! <= 11);
 * ```
 */
export function bootstrapMean(values: ArrayLike<number>, options: BootstrapOptions): Estimate {
  checkValues(values, "mean");
  const interval = percentileInterval(
    values.length,
    (sample) => sumAt(values, sample) / sample.length,
    options,
  );
  return { value: mean(Array.from(values)), ...interval };
}

/**
 * What is computed from rounds, with its percentile bootstrap interval: for what is neither a mean nor one ratio. All
 * that belongs to a round is drawn together, so that what made a round slow cancels out.
 *
 * Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), section 13.3.
 *
 * @param count how many rounds there are
 * @param statistic computes it from the places of rounds, from 0, of which some may be there twice
 * @param options the random numbers and how many samples are drawn
 * @returns what the rounds as they are come to, and its interval
 * @throws {RangeError} there is no round, or an option is out of range
 *
 * @example
 * ```ts
 * import { bootstrapRounds } from "./bootstrap.ts";
 * import { randomSource } from "./random.ts";
 * import { assertEquals } from "@std/assert";
 * const [before, after] = [[1, 2, 3, 4, 5], [2, 4, 6, 8, 10]];
 * const sum = (values: number[], rounds: ArrayLike<number>) =>
 *   Array.from(rounds).reduce((total, round) => total + values[round]!, 0);
 * const growth = bootstrapRounds(5, (rounds) => sum(after, rounds) / sum(before, rounds), { random: randomSource(1) });
 * assertEquals(growth, { value: 2, low: 2, high: 2 });
 * ```
 */
export function bootstrapRounds(
  count: number,
  statistic: (rounds: ArrayLike<number>) => number,
  options: BootstrapOptions,
): Estimate {
  if (!(Number.isInteger(count) && count > 0)) {
    throw new RangeError(`Cannot compute statistic as there must be a round: current value is ${count}`);
  }
  const value = statistic(Array.from({ length: count }, (_, place) => place));
  return { value, ...percentileInterval(count, statistic, options) };
}

/** What {@linkcode bootstrapRatio} compares: one pair a round, in the same order. */
export interface Pairs {
  /** What is compared, one number a round. */
  numerators: ArrayLike<number>;
  /** What it is compared with, one number a round, each above 0. */
  denominators: ArrayLike<number>;
}

/**
 * The ratio of two sums over paired rounds, with its percentile bootstrap interval. Rounds are drawn as
 * pairs, so that what made both of them slow cancels out.
 *
 * Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), sections 10.3 (a ratio
 * over pairs) and 13.3 (percentile interval).
 *
 * @param pairs the numbers, a pair for each round
 * @param options the random numbers and how many samples are drawn
 * @returns the ratio and its interval
 * @throws {RangeError} there are no pairs, more of one than of the other, a number is not finite, a
 * denominator is not above 0, or an option is out of range
 *
 * @example
 * ```ts
 * import { bootstrapRatio } from "./bootstrap.ts";
 * import { randomSource } from "./random.ts";
 * import { assertEquals } from "@std/assert";
 * const pairs = { numerators: [2, 4, 6, 8, 10], denominators: [1, 2, 3, 4, 5] };
 * assertEquals(bootstrapRatio(pairs, { random: randomSource(1) }), { value: 2, low: 2, high: 2 });
 * ```
 */
export function bootstrapRatio(pairs: Pairs, options: BootstrapOptions): Estimate {
  const { numerators, denominators } = pairs;
  checkValues(numerators, "ratio");
  checkValues(denominators, "ratio");
  if (numerators.length !== denominators.length) {
    throw new RangeError(
      `Cannot compute ratio as numerators and denominators must come in pairs: ` +
        `there are ${numerators.length} and ${denominators.length}`,
    );
  }
  const bottom = Array.from(denominators);
  const wrong = bottom.findIndex((value) => value <= 0);
  if (wrong >= 0) {
    throw new RangeError(
      `Cannot compute ratio as every denominator must be above 0: denominator ${wrong} is ${bottom[wrong]}`,
    );
  }
  const interval = percentileInterval(
    bottom.length,
    (sample) => sumAt(numerators, sample) / sumAt(bottom, sample),
    options,
  );
  return { value: sum(Array.from(numerators)) / sum(bottom), ...interval };
}
