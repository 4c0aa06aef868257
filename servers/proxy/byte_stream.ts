import { Buffer } from "node:buffer";
import { MalformedHead } from "./head.ts";
import { HeadFinder } from "./head_finder.ts";

/** What a {@linkcode ByteStream} reads from. */
export interface Source {
  /** Reads what has come; `null` at the end. */
  read(into: Uint8Array): Promise<number | null>;
}

/**
 * The bytes of one side of a connection, through one buffer of a fixed size: nothing is read that there is no room
 * for, so that who sends faster than the other side takes waits.
 */
export class ByteStream {
  readonly #buffer: Buffer;
  readonly #finder = new HeadFinder();
  #source: Source;
  #start = 0;
  #end = 0;
  /** The read that is under way: it cannot be taken back. */
  #pending: Promise<boolean> | null = null;
  #ended = false;
  #hasRead = false;

  /**
   * @param source where bytes come from
   * @param sizeBytes the size of its buffer, and so of the longest head
   */
  constructor(source: Source, sizeBytes: number) {
    this.#source = source;
    this.#buffer = Buffer.allocUnsafeSlow(sizeBytes);
  }

  /** Reads from another connection from now on. Nothing may be under way. */
  attach(source: Source): void {
    this.#source = source;
    this.#start = this.#end = 0;
    this.#pending = null;
    this.#ended = this.#hasRead = false;
  }

  /** Whether a byte has come. */
  get hasRead(): boolean {
    return this.#hasRead;
  }

  /** Whether bytes are there that nobody has taken. */
  get hasBytes(): boolean {
    return this.#end > this.#start;
  }

  /** What is there: a view that is valid until the next {@linkcode fill}. */
  get bytes(): Uint8Array {
    return this.#view(this.#start, this.#end);
  }

  /** Takes bytes off the front. */
  take(count: number): void {
    this.#start += count;
  }

  /**
   * Waits for more bytes.
   *
   * @returns whether some came: `false` at the end of the connection
   * @throws what the connection throws; {@linkcode RangeError} when the buffer is full
   */
  fill(): Promise<boolean> {
    return this.#pending ??= this.#read();
  }

  /**
   * Reads on without anybody who takes the bytes, as far as there is room for them, so that the end of the connection is
   * noticed. No view of {@linkcode bytes} may be in use meanwhile.
   *
   * @param isOver whether nobody wants to know any more
   * @param onEnd called when it has ended or failed
   */
  async watch(isOver: () => boolean, onEnd: () => void): Promise<void> {
    try {
      while (!isOver() && this.#end - this.#start < this.#buffer.length) {
        if (!await this.fill()) return onEnd();
      }
    } catch {
      onEnd();
    }
  }

  async #read(): Promise<boolean> {
    try {
      if (this.#ended) return false;
      if (this.#start > 0) this.#compact();
      if (this.#end === this.#buffer.length) throw new RangeError("Cannot read as the buffer is full");
      const size = await this.#source.read(this.#view(this.#end, this.#buffer.length));
      if (size === null) this.#ended = true;
      else {
        this.#end += size;
        this.#hasRead = true;
      }
      return size !== null;
    } finally {
      this.#pending = null;
    }
  }

  /** Moves what is there to the front. Nothing is being read while this goes on. */
  #compact(): void {
    if (this.hasBytes) this.#buffer.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
  }

  #view(from: number, to: number): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, from, to - from);
  }

  /**
   * Reads a head.
   *
   * @returns its text without the empty line, one character a byte; `null` when the connection ended before its first
   * byte
   * @throws {MalformedHead} it is longer than the buffer (431), or a line ends with a bare LF
   * @throws {TruncatedError} the connection ended within it
   */
  async head(): Promise<string | null> {
    this.#finder.reset();
    for (;;) {
      const end = this.#finder.end(this.#buffer, this.#start, this.#end);
      if (end !== null) {
        const from = this.#start + this.#finder.begin;
        this.take(end);
        return this.#buffer.toString("latin1", from, this.#start - "\r\n\r\n".length);
      }
      if (this.#end - this.#start === this.#buffer.length) {
        throw new MalformedHead(`The head exceeds ${this.#buffer.length} bytes`, 431);
      }
      if (await this.fill()) continue;
      if (!this.hasBytes) return null;
      throw new TruncatedError("The connection ended within a head");
    }
  }
}

/** A connection ended before a message was whole. */
export class TruncatedError extends Error {
  override readonly name = "TruncatedError";
}
