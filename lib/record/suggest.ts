import { distance } from "fastest-levenshtein";

/**
 * The name that was probably meant.
 *
 * @param name what was written
 * @param known the names that exist
 * @returns the nearest known name, or `null` when none is near (more than a third of it, and at least
 * two letters, would have to change)
 *
 * @example
 * ```ts
 * import { closest } from "./suggest.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(closest("request", ["requests", "rounds"]), "requests");
 * assertEquals(closest("zebra", ["requests", "rounds"]), null);
 * ```
 */
export function closest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let least = Infinity;
  for (const candidate of known) {
    const changes = distance(name.toLowerCase(), candidate.toLowerCase());
    if (changes < least) [best, least] = [candidate, changes];
  }
  return best !== null && least <= Math.max(2, Math.floor(best.length / 3)) ? best : null;
}
