import { classify, type Connection } from "../../transport/mod.ts";

/**
 * How a server ended a connection that was idle: by a FIN, by a reset, or with an answer that nobody had asked
 * for (such as 408), behind which the connection is of no use.
 */
export type Closing = "fin" | "reset" | "answer";

/** What a server says while nothing is asked fits in, and so does the head of any answer. */
const BUFFER_BYTES = 16_384;

const decoder = new TextDecoder("latin1");

/**
 * A connection that can be watched while it is idle, and then used as any other: the read that watches becomes
 * the first read of the answer.
 */
export class WatchedConnection implements Connection {
  readonly #inner: Connection;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #watch: Promise<number | null> | null = null;
  #received = "";

  /** @param inner the connection, to which nothing else must listen */
  constructor(inner: Connection) {
    this.#inner = inner;
  }

  get localPort(): number {
    return this.#inner.localPort;
  }

  get connectMs(): number {
    return this.#inner.connectMs;
  }

  get tlsMs(): number | null {
    return this.#inner.tlsMs;
  }

  get protocol(): string | null {
    return this.#inner.protocol;
  }

  /** The beginning of what came, a character a byte: enough for the head of a response. */
  get received(): string {
    return this.#received;
  }

  /**
   * Waits until the server ends the connection, or says something.
   *
   * @returns how it did; it means nothing once this side has closed the connection
   */
  async closing(): Promise<Closing> {
    this.#watch ??= this.#inner.read(this.#buffer);
    try {
      return await this.#watch === null ? "fin" : "answer";
    } catch (error) {
      // TLS that ends without a farewell: below it there was a FIN.
      return classify(error, "wait").kind === "closed-early" ? "fin" : "reset";
    }
  }

  async read(into: Uint8Array): Promise<number | null> {
    const size = await this.#read(into);
    if (size !== null && this.#received.length < BUFFER_BYTES) {
      this.#received += decoder.decode(into.subarray(0, size));
    }
    return size;
  }

  async #read(into: Uint8Array): Promise<number | null> {
    if (this.#watch === null) return await this.#inner.read(into);
    const size = await this.#watch;
    this.#watch = null;
    // The buffer of an exchange is larger than this one.
    if (size !== null) into.set(this.#buffer.subarray(0, size));
    return size;
  }

  writeAll(bytes: Uint8Array): Promise<void> {
    return this.#inner.writeAll(bytes);
  }

  close(): void {
    this.#inner.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
