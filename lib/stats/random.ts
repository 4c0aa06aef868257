import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";

const SEEDS = 2 ** 32;

/**
 * The random numbers of a seed: the same numbers for the same seed, on every machine.
 *
 * Source: MT19937, M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998). Unlike the
 * xorshift family its initialisation scatters neighbouring seeds, so that runs with seeds 1 and 2 do not
 * begin alike.
 *
 * @param seed a whole number from 0 to 2³² − 1
 * @returns a function whose every call gives the next number in [0, 1)
 * @throws {RangeError} the seed is not such a number
 *
 * @example
 * ```ts
 * import { randomSource } from "./random.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(randomSource(7)(), randomSource(7)());
 * ```
 */
export function randomSource(seed: number): () => number {
  if (!Number.isInteger(seed) || seed < 0 || seed >= SEEDS) {
    throw new RangeError(
      `Cannot draw random numbers as the seed must be a whole number from 0 to ${SEEDS - 1}: ` +
        `current value is ${seed}`,
    );
  }
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}

/**
 * A random order of items, each order as likely as any other. The items given are left as they are.
 *
 * Source: R. Durstenfeld, "Algorithm 235: Random permutation", CACM 7 (1964).
 *
 * @param items what is to be ordered
 * @param random random numbers in [0, 1)
 * @returns the items in another array
 *
 * @example
 * ```ts
 * import { randomSource, shuffle } from "./random.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(shuffle(["a", "b", "c"], randomSource(1)).sort(), ["a", "b", "c"]);
 * ```
 */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const pick = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[pick]] = [shuffled[pick]!, shuffled[last]!];
  }
  return shuffled;
}
