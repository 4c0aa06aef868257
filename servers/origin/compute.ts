/** How many iterations a difficulty of 1 is. */
export const ITERATIONS_PER_DIFFICULTY = 200_000;

/** What a computation came to. */
export interface Computation {
  /** How many iterations were made. */
  readonly iterations: number;
  /** What they came to: it depends on every one of them, so that none can be left out. */
  readonly checksum: number;
}

/**
 * Keeps the processor busy: a hash over the numbers from 0, in the manner of FNV-1a with 32 bits.
 *
 * Source: G. Fowler, L. C. Noll, K.-P. Vo, http://www.isthe.com/chongo/tech/comp/fnv/.
 *
 * @param difficulty how much, in units of {@linkcode ITERATIONS_PER_DIFFICULTY} iterations
 * @returns iterations and checksum
 *
 * @example
 * ```ts
 * import { compute } from "./compute.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(compute(3).iterations, 600_000);
 * ```
 */
export function compute(difficulty: number): Computation {
  const wanted = difficulty * ITERATIONS_PER_DIFFICULTY;
  let iterations = 0;
  let hash = 0x811c9dc5;
  while (iterations < wanted) {
    hash = Math.imul(hash ^ iterations, 0x01000193);
    iterations++;
  }
  return { iterations, checksum: hash >>> 0 };
}
