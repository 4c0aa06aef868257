/**
 * Cuts text that comes in pieces into lines. It looks at each piece once, so that a line of many pieces
 * takes no longer than as many lines.
 *
 * @example
 * ```ts
 * import { LineSplitter } from "./lines.ts";
 * import { assertEquals } from "@std/assert";
 * const splitter = new LineSplitter();
 * assertEquals(splitter.take("one\ntw"), ["one"]);
 * assertEquals(splitter.take("o\n\nthree"), ["two", ""]);
 * assertEquals(splitter.rest, "three");
 * ```
 */
export class LineSplitter {
  #rest = "";

  /**
   * Takes the next piece.
   *
   * @param text the piece
   * @returns the lines that it completes, without their ends
   */
  take(text: string): string[] {
    const lines = text.split("\n");
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop()!;
    return lines;
  }

  /** What has come of a line that has not ended. */
  get rest(): string {
    return this.#rest;
  }
}
