import { ChunkedScanner } from "../../lib/transport/mod.ts";
import { type ByteStream, TruncatedError } from "./byte_stream.ts";
import type { BodyFraming } from "./framing.ts";

/** Hands bytes on. */
export type Write = (bytes: Uint8Array) => Promise<void>;

/** How long the first line of a chunk and the trailers may be, in bytes. */
const MAX_CHUNK_OVERHEAD_BYTES = 4096;

/** What frames a chunk at most, the last chunk behind it included: sizes in hexadecimal and ends of lines. */
const FRAME_BYTES = 32;

const encoder = new TextEncoder();

/**
 * Passes a body on as it comes. Chunks are framed anew, without extensions and trailers, so that what two readers could
 * read in two ways goes no further; and so is what only the end of a connection ends.
 *
 * @param source where it comes from, its head taken
 * @param framing how it ends there
 * @param write takes it, piece by piece
 * @throws {TruncatedError} the connection that it comes over ended before it did
 * @throws {Error} its chunks are malformed, or what reading or writing throws
 */
export async function passBody(source: ByteStream, framing: BodyFraming, write: Write): Promise<void> {
  if (framing.kind === "length") return await passLength(source, framing.bytes, write);
  if (framing.kind === "chunked") return await passChunks(source, write);
  if (framing.kind === "close") return await passRest(source, write);
}

async function passLength(source: ByteStream, length: number, write: Write): Promise<void> {
  for (let left = length; left > 0;) {
    if (!source.hasBytes && !await source.fill()) throw cut();
    const piece = source.bytes.subarray(0, left);
    await write(piece);
    source.take(piece.length);
    left -= piece.length;
  }
}

async function passRest(source: ByteStream, write: Write): Promise<void> {
  const framer = new ChunkFramer();
  while (source.hasBytes || await source.fill()) {
    const { bytes } = source;
    await write(framer.frame([bytes], false));
    source.take(bytes.length);
  }
  await write(framer.frame([], true));
}

async function passChunks(source: ByteStream, write: Write): Promise<void> {
  let pieces: Uint8Array[] = [];
  const scanner = new ChunkedScanner(
    MAX_CHUNK_OVERHEAD_BYTES,
    (bytes, from, to) => pieces.push(bytes.subarray(from, to)),
  );
  const framer = new ChunkFramer();
  scanner.begin();
  while (!scanner.done) {
    if (!source.hasBytes && !await source.fill()) throw cut();
    const { bytes } = source;
    const taken = scanner.scan(bytes, 0, bytes.length);
    if (pieces.length > 0 || scanner.done) await write(framer.frame(pieces, scanner.done));
    pieces = [];
    source.take(taken);
  }
}

/** Frames what has come at once as one chunk: many small ones would be as many writes. */
class ChunkFramer {
  #bytes = new Uint8Array(0);

  /** The chunk, with the last one behind it when the body ends; valid until the next. */
  frame(pieces: readonly Uint8Array[], isLast: boolean): Uint8Array {
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    if (this.#bytes.length < size + FRAME_BYTES) this.#bytes = new Uint8Array(size + FRAME_BYTES);
    let end = 0;
    const put = (text: string) => {
      end += encoder.encodeInto(text, this.#bytes.subarray(end)).written;
    };
    if (size > 0) put(`${size.toString(16)}\r\n`);
    for (const piece of pieces) {
      this.#bytes.set(piece, end);
      end += piece.length;
    }
    if (size > 0) put("\r\n");
    if (isLast) put("0\r\n\r\n");
    return this.#bytes.subarray(0, end);
  }
}

function cut(): TruncatedError {
  return new TruncatedError("The connection ended within a body");
}
