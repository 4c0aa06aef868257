import type { Connection } from "../connection.ts";

const BUFFER_BYTES = 4096;

/**
 * A connection that can be watched while it is idle. Only a read tells that the peer has ended a connection, and
 * a read that is under way cannot be taken back: what it brings belongs to whoever reads next.
 */
export class WatchedConnection implements Connection {
  readonly localPort: number;
  readonly connectMs: number;
  readonly tlsMs: number | null;
  readonly protocol: string | null;
  readonly #inner: Connection;
  readonly #onStir: () => void;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #watching = false;
  /** The read that a watch began and that is still under way. */
  #pending: Promise<number | null> | null = null;
  /** Where its bytes go, once somebody waits for them. */
  #into: Uint8Array | null = null;
  /** What it came to while nobody waited: bytes from one place in the buffer to another, the end, or an error. */
  #from = 0;
  #to = 0;
  #end: Promise<null> | null = null;

  /**
   * @param inner the connection
   * @param onStir called once when, while it is watched, the peer ends it or sends what nobody asked for
   */
  constructor(inner: Connection, onStir: () => void) {
    this.localPort = inner.localPort;
    this.connectMs = inner.connectMs;
    this.tlsMs = inner.tlsMs;
    this.protocol = inner.protocol;
    this.#inner = inner;
    this.#onStir = onStir;
  }

  /** Begins to watch. */
  watch(): void {
    this.#watching = true;
    if (this.#from < this.#to || this.#end !== null) queueMicrotask(this.#stir);
    else this.#pending ??= this.#inner.read(this.#buffer).then(this.#arrive, this.#fail);
  }

  /** Watches no longer: what comes from now on is an answer. */
  unwatch(): void {
    this.#watching = false;
  }

  read(into: Uint8Array): Promise<number | null> {
    if (this.#from < this.#to) return Promise.resolve(this.#take(into));
    if (this.#end !== null) return this.#end;
    if (this.#pending === null) return this.#inner.read(into);
    this.#into = into;
    return this.#pending;
  }

  writeAll(bytes: Uint8Array): Promise<void> {
    return this.#inner.writeAll(bytes);
  }

  close(): void {
    this.#watching = false;
    this.#inner.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Copies what has come. */
  #take(into: Uint8Array): number {
    const size = Math.min(into.length, this.#to - this.#from);
    into.set(this.#buffer.subarray(this.#from, this.#from += size));
    return size;
  }

  readonly #arrive = (size: number | null): number | null => {
    const into = this.#into;
    this.#pending = this.#into = null;
    this.#from = 0;
    this.#to = size ?? 0;
    if (size === null) this.#end = Promise.resolve(null);
    this.#stir();
    return size === null || into === null ? size : this.#take(into);
  };

  readonly #fail = (error: unknown): null => {
    const awaited = this.#into !== null;
    this.#pending = this.#into = null;
    // An error that nobody waits for yet is no error that nobody handles.
    this.#end = Promise.reject(error);
    this.#end.catch(() => {});
    this.#stir();
    if (awaited) throw error;
    return null;
  };

  readonly #stir = () => {
    if (!this.#watching) return;
    this.#watching = false;
    this.#onStir();
  };
}
