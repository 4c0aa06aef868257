import { printable } from "../render/mod.ts";

function shown(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/**
 * Writes a result to standard output. What a terminal would obey is escaped, which JSON reads as it was.
 *
 * @param text the result
 * @throws {Error} standard output cannot be written
 */
export function print(text: string): void {
  console.log(shown(text));
}

/**
 * Says something on standard error. When that cannot be written nobody reads it, and the work goes on.
 *
 * @param text a message, or how far the work is
 */
export function say(text: string): void {
  try {
    console.error(shown(text));
  } catch {
    // A full disk or a pipe without a reader must not end a measurement.
  }
}
