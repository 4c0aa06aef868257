/** Controls of a terminal, and what turns the direction of text or breaks its line; a tab does no harm. */
const UNSAFE = /(?!\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * A text as one line that a terminal shows and does not obey: a run's label or title may be somebody
 * else's.
 *
 * @param text any text
 * @returns the text with control characters escaped as in a JSON string
 *
 * @example
 * ```ts
 * import { printable } from "./printable.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(printable("a\x1b[2Jb"), String.raw`a\u001b[2Jb`);
 * ```
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
