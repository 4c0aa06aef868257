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
 * The hash on its way. In a variable the compiler keeps it in one form first and in another after hundreds of requests,
 * and the same computation then takes half as long again, in the middle of a measurement.
 */
const hash = new Uint32Array(1);

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
  const iterations = difficulty * ITERATIONS_PER_DIFFICULTY;
  hash[0] = 0x811c9dc5;
  for (let iteration = 0; iteration < iterations; iteration++) {
    hash[0] = Math.imul(hash[0]! ^ iteration, 0x01000193);
  }
  return { iterations, checksum: hash[0] };
}
