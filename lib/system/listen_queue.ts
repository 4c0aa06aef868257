import { readKernelFile } from "./proc.ts";
import { type ListenQueue, visitListenQueues } from "./sock_diag.ts";
import { UnsupportedError } from "./unsupported_error.ts";

/** What listeners dropped since their network began. A client tries again: one connection may count several times. */
export interface ListenCounters {
  /** Times that a client found the accept queue full: its SYN, or the last ACK of its handshake, was dropped. */
  readonly overflows: number;
  /** Times that a listener dropped a SYN or a handshake for whatever reason, those among them. */
  readonly drops: number;
}

/**
 * Reads the text of `/proc/net/netstat`.
 *
 * Source: Linux, `net/ipv4/proc.c` (LINUX_MIB_LISTENOVERFLOWS, LINUX_MIB_LISTENDROPS): a line of names is followed by
 * one of values.
 *
 * @param text the text of the file
 * @returns the counters
 * @throws {RangeError} it has none
 */
export function parseListenCounters(text: string): ListenCounters {
  const [names = [], values = []] = text.split("\n").filter((line) => line.startsWith("TcpExt:"))
    .map((line) => line.trim().split(/\s+/));
  const valueOf = (name: string) => {
    const index = names.indexOf(name);
    if (index < 0) throw new RangeError(`Cannot read ${name} as the system does not count it`);
    return Number(values[index]);
  };
  return { overflows: valueOf("ListenOverflows"), drops: valueOf("ListenDrops") };
}

/**
 * What the listeners in the calling thread's network namespace have dropped, all of them together.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @returns the counters
 * @throws {Deno.errors.NotFound} this system does not tell
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function listenCounters(): ListenCounters {
  return parseListenCounters(readKernelFile("/proc/thread-self/net/netstat"));
}

/**
 * The accept queues of the sockets that listen on a port, in the calling thread's network namespace: several where
 * they share it (SO_REUSEPORT) or listen on addresses of their own.
 *
 * Needs `--allow-ffi` of the C library. Linux only. Source: sock_diag(7).
 *
 * @param port the port
 * @returns the queues
 * @throws {UnsupportedError} the system does not tell
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function acceptQueues(port: number): ListenQueue[] {
  const queues: ListenQueue[] = [];
  const told = Deno.build.os === "linux" && visitListenQueues((queue) => void queues.push(queue));
  if (!told) throw new UnsupportedError("read accept queues", "socket table over netlink: sock_diag(7)");
  return queues.filter((queue) => queue.port === port);
}
