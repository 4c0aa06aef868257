import type { ParseOutcome } from "./param.ts";

/** The longest text of numbers that is accepted, in bytes. */
export const MAX_NUMBERS_BYTES: number = 1024 * 1024;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const NUMBERS = /^[\d.,eE+\s-]*$/;
const PROCESS = /^[a-z]{2,}:/;

/**
 * Whether a text is the path of a file with numbers, and neither numbers nor the name of a process that draws
 * them, such as `poisson:0.2`.
 *
 * @param text what a person gave
 * @returns whether it is a path
 */
export function isNumbersPath(text: string): boolean {
  return !NUMBERS.test(text) && !PROCESS.test(text);
}

/**
 * Reads numbers, separated by commas or one a line, decimals with a point. A first line that is no number is the
 * name of a column.
 *
 * @param text the numbers: what a person wrote, or a CSV file of one column
 * @returns the numbers
 *
 * @example
 * ```ts
 * import { parseNumbers } from "./numbers.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(parseNumbers("gap\n0.5\n2\n"), { value: [0.5, 2] });
 * assertEquals(parseNumbers("0.5;2"), { must: "numbers, separated by commas or one a line: there is 0.5;2" });
 * ```
 */
export function parseNumbers(text: string): ParseOutcome<number[]> {
  if (text.length > MAX_NUMBERS_BYTES) return { must: "numbers in at most 1 MiB" };
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length > 1 && lines.some((line) => line.includes(","))) {
    return { must: "one column of numbers, or one line of them, separated by commas" };
  }
  const named = text.includes("\n") && isNumbersPath(lines[0] ?? "");
  const parts = (named ? lines.slice(1) : lines).flatMap((line) => line.split(","))
    .map((part) => part.trim()).filter((part) => part !== "");
  const wrong = parts.find((part) => !NUMBER.test(part));
  if (wrong !== undefined) {
    return { must: `numbers, separated by commas or one a line: there is ${wrong.slice(0, 40)}` };
  }
  return parts.length === 0 ? { must: "at least one number" } : { value: parts.map(Number) };
}
