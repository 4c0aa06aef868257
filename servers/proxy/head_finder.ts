import { MalformedHead } from "./head.ts";

const CR = 13;
const LF = 10;

/** Finds the end of a head in bytes that come piece by piece. Places are counted from the first of them. */
export class HeadFinder {
  /** Where the head begins: one empty line may stand before it, RFC 9112 §2.2. */
  begin = 0;
  /** Where the line begins that has not ended yet. */
  #line = 0;
  /** How far has been looked. */
  #seen = 0;

  /** Looks for another head. */
  reset(): void {
    this.begin = this.#line = this.#seen = 0;
  }

  /**
   * Looks for the end.
   *
   * @param buffer what holds the bytes that have come so far
   * @param start where the first of them stands
   * @param end where they end
   * @returns the place after the empty line; `null` when it has not come
   * @throws {MalformedHead} a line ends with a bare LF, or the head is empty
   */
  end(buffer: Uint8Array, start: number, end: number): number | null {
    for (let at = start + this.#seen; at < end; at++) {
      if (buffer[at] !== LF) continue;
      const line = this.#line;
      const length = at - start - line - 1;
      if (length < 0 || buffer[at - 1] !== CR) {
        throw new MalformedHead("A line of the head ends with a bare LF");
      }
      this.#line = this.#seen = at - start + 1;
      if (length > 0) continue;
      if (line > this.begin) return this.#line;
      if (line > 0) throw new MalformedHead("The head is empty");
      this.begin = this.#line;
    }
    this.#seen = end - start;
    return null;
  }
}
