import { socketConstants } from "./_socket_constants.ts";
import { openLibc } from "./libc.ts";
import { descriptorOf, type RawSocket } from "./raw_socket.ts";

// Sources: send(2), recv(2), memset(3). Counts that C gives as ssize_t are read as i32: no buffer here has 2 GiB.
const SYMBOLS = {
  send: { parameters: ["i32", "u64", "usize", "i32"], result: "i32" },
  recv: { parameters: ["i32", "u64", "usize", "i32"], result: "i32" },
  // It gives back where its buffer is: `Deno.UnsafePointer` takes the right to every library.
  memset: { parameters: ["buffer", "i32", "usize"], result: "u64" },
} as const;

type Calls = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: Calls | null = null;

/**
 * Bytes whose place in memory is looked up once, for loops that hand the same ones to the system for each request:
 * looking it up takes longer than all else of a call from here to C.
 *
 * Needs `--allow-ffi` of the C library.
 *
 * @example
 * ```ts ignore
 * const request = new PinnedBytes(encodeRequest({ method: "GET", path: "/", hostname, port }));
 * const buffer = new PinnedBytes(65_536);
 * request.sendTo(socket);
 * const size = buffer.receiveFrom(socket);
 * if (size > 0) console.log(buffer.bytes.subarray(0, size));
 * ```
 */
export class PinnedBytes {
  /** The bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #calls: Calls;
  readonly #address: bigint;
  readonly #size: bigint;
  readonly #noSignal: number;

  /**
   * Pins bytes.
   *
   * @param content what they hold, which is copied, or how many zeros they are
   * @throws {Deno.errors.NotSupported} the C library cannot be opened
   */
  constructor(content: number | Uint8Array) {
    // A small array that makes its own buffer may be moved by the collector.
    this.bytes = new Uint8Array(new ArrayBuffer(typeof content === "number" ? content : content.length));
    if (typeof content !== "number") this.bytes.set(content);
    this.#calls = opened ??= openLibc(SYMBOLS);
    this.#address = this.#calls.memset(this.bytes, 0, 0n);
    this.#size = BigInt(this.bytes.length);
    this.#noSignal = socketConstants().noSignal;
  }

  /**
   * Sends all of them.
   *
   * @param socket the socket
   * @returns how many were taken; -1 when none could be: `takeError` of the socket tells of a broken connection
   */
  sendTo(socket: RawSocket): number {
    return this.#calls.send(descriptorOf(socket), this.#address, this.#size, this.#noSignal);
  }

  /**
   * Receives bytes, from the first place on.
   *
   * @param socket the socket
   * @returns how many came, 0 at the end, -1 when there are none or the connection is broken
   */
  receiveFrom(socket: RawSocket): number {
    return this.#calls.recv(descriptorOf(socket), this.#address, this.#size, 0);
  }
}
