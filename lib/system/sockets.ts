import { probeKernelFile, readKernelFile } from "./proc.ts";
import { parseProcTcp, type SocketEntry, type SocketFilter } from "./proc_tcp.ts";
import { parseTimeWaitTotal } from "./sockstat.ts";

// `/proc/net` is the network of the process's first thread; the calling thread may have moved to another.
const NET = "/proc/thread-self/net";

/** Whether the socket table can be read. */
export interface SocketTableSupport {
  /** Whether it can. */
  readonly available: boolean;
  /** Why it cannot; `null` when it can. */
  readonly reason: string | null;
}

/**
 * Whether this process can read the socket table.
 *
 * Needs no right; without `--allow-ffi` of the C library the answer is no.
 *
 * @returns the answer, with a reason when it is no
 */
export function socketTableSupport(): SocketTableSupport {
  if (Deno.build.os !== "linux") {
    return { available: false, reason: `The socket table is read on linux only, this is ${Deno.build.os}` };
  }
  try {
    probeKernelFile(`${NET}/tcp`);
    probeKernelFile(`${NET}/sockstat`);
    return { available: true, reason: null };
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

function readTcp6(): string {
  try {
    return readKernelFile(`${NET}/tcp6`);
  } catch (error) {
    // A kernel without IPv6 has no such file, and no such sockets.
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/**
 * The TCP sockets of the calling thread's network namespace, IPv4 first. The kernel writes the table a
 * page at a time: a socket that changes meanwhile may be missed or seen twice.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @param options which sockets are wanted
 * @returns the sockets
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 * @throws {Deno.errors.NotFound} this system has no such table
 *
 * @example
 * ```ts ignore
 * const lingering = readSockets({ ports: new Set([8080]), states: new Set(["TIME_WAIT"]) });
 * ```
 */
export function readSockets(options: SocketFilter = {}): SocketEntry[] {
  const ipv4 = parseProcTcp(readKernelFile(`${NET}/tcp`), "ipv4", options);
  return [...ipv4, ...parseProcTcp(readTcp6(), "ipv6", options)];
}

/**
 * How many sockets of the calling thread's network namespace are in TIME_WAIT: a thousand times cheaper
 * than the table itself.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @returns the count
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 * @throws {Deno.errors.NotFound} this system does not tell
 */
export function timeWaitTotal(): number {
  return parseTimeWaitTotal(readKernelFile(`${NET}/sockstat`));
}
