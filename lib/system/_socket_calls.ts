import { openLibc } from "./libc.ts";

// Sources: socket(2), bind(2), connect(2), listen(2), accept(2), getsockname(2), getpeername(2),
// getsockopt(2), send(2), recv(2), shutdown(2), poll(2), fcntl(2), sendmsg(2), cmsg(3).
// Counts that C gives as ssize_t are read as i32: no call here is given 2 GiB.
const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  listen: { parameters: ["i32", "i32"], result: "i32" },
  accept: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  // Linux only: it takes the flags with which the new socket begins.
  accept4: { parameters: ["i32", "buffer", "buffer", "i32"], result: "i32", optional: true },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32" },
  // Variadic in C; on Linux the call is the same for both kinds, and it is called nowhere else.
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  sendmsg: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  recvmsg: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  // It gives back where its buffer is: `Deno.UnsafePointer` takes the right to every library. memset(3).
  memset: { parameters: ["buffer", "i32", "usize"], result: "u64" },
} as const satisfies Deno.ForeignLibraryInterface;

/** The functions of the C library for sockets, -1 for a failure. */
export type SocketCalls = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: SocketCalls | null = null;

/**
 * The functions for sockets, opened at the first call.
 *
 * @returns them
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function socketCalls(): SocketCalls {
  return opened ??= openLibc(SYMBOLS);
}

/** POLLIN and POLLOUT, which are the same everywhere. Source: poll(2). */
export const POLL = { in: 1, out: 4 } as const;

const pollBuffer = new DataView(new ArrayBuffer(8));

/**
 * Waits until a descriptor is ready, in the calling thread.
 *
 * @param descriptor the descriptor
 * @param events what it is awaited for, of {@linkcode POLL}
 * @param timeoutMs how long at most, in milliseconds; 0 only looks
 * @returns whether it is ready, be it with an error
 */
export function isReady(descriptor: number, events: number, timeoutMs: number): boolean {
  pollBuffer.setInt32(0, descriptor, true);
  pollBuffer.setInt16(4, events, true);
  pollBuffer.setInt16(6, 0, true);
  return socketCalls().poll(pollBuffer, 1n, timeoutMs) > 0;
}
