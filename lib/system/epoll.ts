import { openLibc } from "./libc.ts";
import { descriptorOf, type RawSocket } from "./raw_socket.ts";
import { UnsupportedError } from "./unsupported_error.ts";

const SYMBOLS = {
  epoll_create1: { parameters: ["i32"], result: "i32" },
  epoll_ctl: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  epoll_wait: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32" },
  // Linux 5.11, glibc 2.35.
  epoll_pwait2: { parameters: ["i32", "buffer", "i32", "buffer", "pointer"], result: "i32", optional: true },
  close: { parameters: ["i32"], result: "i32" },
} as const;

let opened: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | null = null;

/** EPOLL_CLOEXEC. Source: epoll_create(2); the numbers below, epoll_ctl(2), `include/uapi/linux/eventpoll.h`. */
const CLOSE_ON_EXEC = 0o2000000;
const ADD = 1;
const REMOVE = 2;
const CHANGE = 3;
const READABLE = 0x1;
const WRITABLE = 0x4;
const ERROR = 0x8;
const HANG_UP = 0x10;
const READ_HANG_UP = 0x2000;

/** `struct epoll_event` is packed on x86-64 alone: events, then data. Source: `include/uapi/linux/eventpoll.h`. */
const DATA_AT = Deno.build.arch === "x86_64" ? 4 : 8;
const EVENT_BYTES = DATA_AT + 8;

/** What a socket is watched for; errors and the peer's end always are. */
export interface Interests {
  /** That bytes or a connection can be taken. @default {false} */
  readonly readable?: boolean;
  /** That bytes can be sent, or a connect has ended. @default {false} */
  readonly writable?: boolean;
}

/**
 * Waits for many sockets at once, in the calling thread: epoll(7), level-triggered.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @example
 * ```ts ignore
 * using epoll = new Epoll();
 * epoll.add(socket, 7, { readable: true });
 * const count = epoll.wait(1000);
 * for (let index = 0; index < count; index++) console.log(epoll.token(index), epoll.isReadable(index));
 * ```
 */
export class Epoll implements Disposable {
  readonly #calls: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];
  readonly #event = new DataView(new ArrayBuffer(EVENT_BYTES));
  readonly #events: DataView<ArrayBuffer>;
  readonly #capacity: number;
  /** `struct timespec` of a 64-bit system: seconds and nanoseconds, of 64 bits each, the low halves first. */
  readonly #timeout = new Int32Array(4);
  readonly #waitsExactly: boolean;
  #descriptor: number;

  /**
   * Begins to watch nothing.
   *
   * @param capacity how many sockets one wait tells of, at most. @default {256}
   * @throws {UnsupportedError} this system has no epoll
   * @throws {Error} there is no descriptor for it
   */
  constructor(capacity = 256) {
    if (Deno.build.os !== "linux") throw new UnsupportedError("wait for many sockets", "epoll_create1(2)");
    this.#calls = opened ??= openLibc(SYMBOLS);
    this.#capacity = capacity;
    this.#events = new DataView(new ArrayBuffer(EVENT_BYTES * capacity));
    this.#descriptor = this.#calls.epoll_create1(CLOSE_ON_EXEC);
    if (this.#descriptor < 0) throw new Error("Cannot wait for many sockets as no descriptor is left");
    // A kernel without the call refuses it; with it, there is nothing to tell of yet.
    this.#waitsExactly = this.#waitExactly(0) === 0;
  }

  /**
   * Watches a socket. It is watched until it is removed or closed.
   *
   * @param socket the socket
   * @param token a number by which it is told of, from 0 to 4,294,967,295
   * @param interests what it is watched for
   * @throws {Error} the system refuses: it is watched already
   */
  add(socket: RawSocket, token: number, interests: Interests): void {
    this.#control(ADD, socket, token, interests);
  }

  /**
   * Watches a socket for something else.
   *
   * @param socket the socket
   * @param token the number by which it is told of from now on
   * @param interests what it is watched for
   * @throws {Error} the system refuses: it is not watched
   */
  change(socket: RawSocket, token: number, interests: Interests): void {
    this.#control(CHANGE, socket, token, interests);
  }

  /**
   * Watches a socket no more.
   *
   * @param socket the socket
   * @throws {Error} the system refuses: it is not watched
   */
  remove(socket: RawSocket): void {
    this.#control(REMOVE, socket, 0, {});
  }

  #control(operation: number, socket: RawSocket, token: number, interests: Interests): void {
    const { readable = false, writable = false } = interests;
    this.#event.setUint32(0, (readable ? READABLE | READ_HANG_UP : 0) | (writable ? WRITABLE : 0), true);
    this.#event.setUint32(DATA_AT, token, true);
    const { epoll_ctl } = this.#calls;
    if (epoll_ctl(this.#descriptor, operation, descriptorOf(socket), this.#event) !== 0) {
      throw new Error("Cannot watch socket as the system refused");
    }
  }

  /**
   * Waits until a socket is ready. A wait that is no whole number of milliseconds is exact where the system has
   * epoll_pwait2(2), and otherwise cut to whole ones: the caller waits for the rest by looking again and again.
   *
   * @param timeoutMs how long at most, in milliseconds; 0 only looks
   * @returns how many are ready; each is told of until the next wait
   */
  wait(timeoutMs: number): number {
    const count = this.#waitsExactly && !Number.isInteger(timeoutMs)
      ? this.#waitExactly(timeoutMs)
      : this.#calls.epoll_wait(this.#descriptor, this.#events, this.#capacity, Math.trunc(timeoutMs));
    // A signal ends a wait before its time.
    return Math.max(0, count);
  }

  #waitExactly(timeoutMs: number): number {
    this.#timeout[0] = Math.trunc(timeoutMs / 1000);
    this.#timeout[2] = Math.trunc(timeoutMs % 1000 * 1e6);
    const { epoll_pwait2 } = this.#calls;
    return epoll_pwait2?.(this.#descriptor, this.#events, this.#capacity, this.#timeout, null) ?? -1;
  }

  /**
   * The number of a socket that is ready.
   *
   * @param index which, from 0
   * @returns its token
   */
  token(index: number): number {
    return this.#events.getUint32(index * EVENT_BYTES + DATA_AT, true);
  }

  #has(index: number, events: number): boolean {
    return (this.#events.getUint32(index * EVENT_BYTES, true) & events) !== 0;
  }

  /**
   * Whether bytes, the end or an error can be taken from it.
   *
   * @param index which, from 0
   * @returns whether they can
   */
  isReadable(index: number): boolean {
    return this.#has(index, READABLE | READ_HANG_UP | HANG_UP | ERROR);
  }

  /**
   * Whether bytes can be sent over it.
   *
   * @param index which, from 0
   * @returns whether they can
   */
  isWritable(index: number): boolean {
    return this.#has(index, WRITABLE);
  }

  /**
   * Whether an error waits at it.
   *
   * @param index which, from 0
   * @returns whether one does
   */
  hasError(index: number): boolean {
    return this.#has(index, ERROR);
  }

  /** Watches nothing any more. */
  [Symbol.dispose](): void {
    if (this.#descriptor < 0) return;
    this.#calls.close(this.#descriptor);
    this.#descriptor = -1;
  }
}
