import { probeKernelFile, readKernelFile } from "./proc.ts";
import { gather, type SocketEntry, type SocketFilter, type SocketVisit, visitProcTcp } from "./proc_tcp.ts";
import { visitSockDiag } from "./sock_diag.ts";
import { parseTimeWaitTotal } from "./sockstat.ts";

// `/proc/net` is the network of the process's first thread; the calling thread may have moved to another.
const NET = "/proc/thread-self/net";

/**
 * Where the socket table is read from: the kernel's answer over netlink, several times cheaper, or the text
 * of `/proc/net/tcp`.
 */
export type SocketTableSource = "sock_diag" | "proc";

/** Whether the socket table can be read. */
export interface SocketTableSupport {
  /** Whether it can. */
  readonly available: boolean;
  /** Why it cannot; `null` when it can. */
  readonly reason: string | null;
  /** Where it is read from; `null` when it cannot be read. */
  readonly source: SocketTableSource | null;
}

const LISTENING: SocketFilter = { states: new Set(["LISTEN"]) };

/**
 * Whether this process can read the socket table.
 *
 * Needs no right; without `--allow-ffi` of the C library the answer is no.
 *
 * @returns the answer, with a reason when it is no
 */
export function socketTableSupport(): SocketTableSupport {
  if (Deno.build.os !== "linux") {
    // Elsewhere a program would have to be run, which no process that measures may do.
    const reason = `The socket table is read on linux only, this is ${Deno.build.os}`;
    return { available: false, reason, source: null };
  }
  try {
    probeKernelFile(`${NET}/tcp`);
    probeKernelFile(`${NET}/sockstat`);
    const source = visitSockDiag(LISTENING, () => {}) ? "sock_diag" : "proc";
    return { available: true, reason: null, source };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { available: false, reason, source: null };
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
 * Shows the TCP sockets of the calling thread's network namespace from the text of `/proc/net/tcp`, IPv4
 * first.
 *
 * @param filter which sockets are wanted
 * @param visit what is called for each
 * @throws {Error} as {@linkcode readSockets} does
 */
export function scanSockets(filter: SocketFilter, visit: SocketVisit): void {
  visitProcTcp(readKernelFile(`${NET}/tcp`), "ipv4", filter, visit);
  visitProcTcp(readTcp6(), "ipv6", filter, visit);
}

/**
 * Shows the TCP sockets of the calling thread's network namespace: asks the kernel over netlink, and scans
 * `/proc/net/tcp` where that is refused.
 *
 * @param filter which sockets are wanted
 * @param visit what is called for each
 * @throws {Error} as {@linkcode readSockets} does
 */
export function visitSockets(filter: SocketFilter, visit: SocketVisit): void {
  if (Deno.build.os === "linux" && visitSockDiag(filter, visit)) return;
  scanSockets(filter, visit);
}

/**
 * The TCP sockets of the calling thread's network namespace, in no order. The kernel writes the table in
 * parts: a socket that changes meanwhile may be missed or seen twice.
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
  return gather((visit) => visitSockets(options, visit));
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
