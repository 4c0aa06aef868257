import { Buffer } from "node:buffer";
import { HEAD_BYTES } from "./framing.ts";

/** What a proxy adds to a head at most: how its body is framed, and its own fields. */
const ADDED_BYTES = 1024;

const encoder = new TextEncoder();

/** Turns heads into bytes without a new array for each: what it gives is valid until it is asked again. */
export class HeadEncoder {
  readonly #bytes = Buffer.allocUnsafeSlow(HEAD_BYTES + ADDED_BYTES);
  #length = 0;

  /**
   * Encodes a head.
   *
   * @param start the request line or the status line
   * @param fields the lines of its fields, each with its end
   * @returns the head with its empty line
   */
  encode(start: string, fields: string): Uint8Array {
    const text = `${start}\r\n${fields}\r\n`;
    const { read, written } = encoder.encodeInto(text, this.#bytes);
    // Most heads are ASCII, where UTF-8 is the same and much faster. Else a character is a byte.
    const isAscii = read === text.length && written === text.length;
    this.#length = isAscii ? written : this.#bytes.write(text, "latin1");
    return this.#view();
  }

  /**
   * Puts the beginning of a body behind the head that was encoded last.
   *
   * @param piece the beginning
   * @returns both in one piece; `null` when there is no room for it
   */
  join(piece: Uint8Array): Uint8Array | null {
    if (this.#length + piece.length > this.#bytes.length) return null;
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
    return this.#view();
  }

  #view(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, 0, this.#length);
  }
}
