import { MalformedResponse } from "./malformed_response.ts";

const CR = 13;
const LF = 10;
const TAB = 9;
const SPACE = 32;
const SEMICOLON = 59;

/** The value of a byte as a hexadecimal digit; -1 when it is none. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Where the scanner stands: within a chunk's first line, its data, or the trailer section. */
type State =
  | "size"
  | "size-space"
  | "extension"
  | "size-end"
  | "data"
  | "data-end"
  | "data-end-lf"
  | "trailer-line"
  | "trailer"
  | "trailer-end"
  | "end";

/**
 * Takes a piece of a body's data: `bytes` from `from` to before `to`. The bytes are valid during the call only.
 */
export type BodyDataTaker = (bytes: Uint8Array, from: number, to: number) => void;

/**
 * Finds the end of a chunked body byte by byte, so that it may be cut anywhere, and hands on its data.
 * Extensions and trailers are skipped, within a limit.
 *
 * Source: RFC 9112 §7.1.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * let text = "";
 * const scanner = new ChunkedScanner(1024, (bytes, from, to) => {
 *   text += new TextDecoder().decode(bytes.subarray(from, to));
 * });
 * const received = new TextEncoder().encode("5\r\nhello\r\n0\r\n\r\nnext");
 * assertEquals(scanner.scan(received, 0, received.length), received.length - "next".length);
 * assertEquals([text, scanner.done], ["hello", true]);
 * ```
 */
export class ChunkedScanner {
  /** Whether the body and its trailers have ended. */
  done = false;
  #state: State = "size";
  #size = 0;
  #digits = 0;
  /** Bytes of the current chunk's first line, or of the trailer section. */
  #overhead = 0;
  readonly #limit: number;
  readonly #onData: BodyDataTaker;

  /**
   * Waits for the first chunk of a body.
   *
   * @param limit how many bytes a chunk's first line, and the trailer section, may have
   * @param onData takes the data, piece by piece
   */
  constructor(limit: number, onData: BodyDataTaker) {
    this.#limit = limit;
    this.#onData = onData;
  }

  /** Begins another body. */
  begin(): void {
    this.done = false;
    this.#expectSize();
  }

  /**
   * Takes what has come.
   *
   * @param bytes what has come
   * @param from where it begins
   * @param to where to stop
   * @returns the position after what belongs to the body
   * @throws {MalformedResponse} it is not a chunked body
   */
  scan(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && !this.done) {
      if (this.#state === "data") {
        const end = Math.min(to, at + this.#size);
        this.#size -= end - at;
        this.#onData(bytes, at, end);
        at = end;
        if (this.#size === 0) this.#state = "data-end";
      } else {
        this.#step(bytes[at++]!);
      }
    }
    return at;
  }

  #expectSize(): void {
    this.#state = "size";
    this.#size = this.#digits = this.#overhead = 0;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case "size": {
        const digit = hexDigit(byte);
        if (digit >= 0) return this.#addDigit(digit);
        if (this.#digits === 0) throw new MalformedResponse("A chunk has no size");
        return this.#afterSize(byte);
      }
      case "size-space":
        return this.#afterSize(byte);
      case "extension":
        return this.#skip(byte, "size-end");
      case "size-end":
        this.#expect(byte, LF);
        this.#overhead = 0;
        this.#state = this.#size > 0 ? "data" : "trailer-line";
        return;
      case "data-end":
        this.#expect(byte, CR);
        this.#state = "data-end-lf";
        return;
      case "data-end-lf":
        this.#expect(byte, LF);
        return this.#expectSize();
      case "trailer-line":
        this.#state = byte === CR ? "end" : "trailer";
        if (byte !== CR) this.#skip(byte, "trailer-end");
        return;
      case "trailer":
        return this.#skip(byte, "trailer-end");
      case "trailer-end":
        this.#expect(byte, LF);
        this.#state = "trailer-line";
        return;
      case "end":
        this.#expect(byte, LF);
        this.done = true;
    }
  }

  #addDigit(digit: number): void {
    this.#count();
    this.#digits++;
    this.#size = this.#size * 16 + digit;
    if (this.#size > Number.MAX_SAFE_INTEGER) throw new MalformedResponse("A chunk's size is too large");
  }

  #afterSize(byte: number): void {
    this.#count();
    if (byte === CR) this.#state = "size-end";
    else if (byte === SEMICOLON) this.#state = "extension";
    else if (byte === SPACE || byte === TAB) this.#state = "size-space";
    else throw new MalformedResponse("A chunk's size is not hexadecimal");
  }

  /** Passes over a byte of a line that is of no interest. */
  #skip(byte: number, atEnd: State): void {
    this.#count();
    if (byte === CR) this.#state = atEnd;
    else if (byte === LF || byte === 0) {
      throw new MalformedResponse("A line of a chunked body holds NUL or a lone LF");
    }
  }

  #expect(byte: number, wanted: number): void {
    if (byte !== wanted) throw new MalformedResponse("A line of a chunked body does not end with CR LF");
  }

  #count(): void {
    if (++this.#overhead > this.#limit) {
      throw new MalformedResponse(`A chunk's first line or the trailers exceed ${this.#limit} bytes`);
    }
  }
}
