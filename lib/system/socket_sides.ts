import type { SocketEntry, SocketState } from "./proc_tcp.ts";

/** Sockets in TIME_WAIT by the side that has them: the one that closed first. */
export interface TimeWaitBySide {
  /** Those of the clients. */
  readonly client: number;
  /** Those of the servers. */
  readonly server: number;
}

/**
 * Counts TIME_WAIT by side, given the ports on which servers listen: a socket is the server's when its
 * own port is one of them, the client's when its peer's is. One with such a port at both ends is counted
 * as the server's, so ask for the ports of one round only where a client may have drawn an older one.
 *
 * @param entries sockets of the table
 * @param serverPorts the ports of the servers
 * @returns both counts
 *
 * @example
 * ```ts
 * import { countTimeWait } from "./socket_sides.ts";
 * import { assertEquals } from "@std/assert";
 * const end = (port: number) => ({ address: "127.0.0.1", port });
 * const entry = { family: "ipv4", local: end(50_000), peer: end(8080), state: "TIME_WAIT" } as const;
 * assertEquals(countTimeWait([entry], new Set([8080])), { client: 1, server: 0 });
 * ```
 */
export function countTimeWait(
  entries: readonly SocketEntry[],
  serverPorts: ReadonlySet<number>,
): TimeWaitBySide {
  let client = 0;
  let server = 0;
  for (const { local, peer, state } of entries) {
    if (state !== "TIME_WAIT") continue;
    if (serverPorts.has(local.port)) server++;
    else if (serverPorts.has(peer.port)) client++;
  }
  return { client, server };
}

const SETTLED: ReadonlySet<SocketState> = new Set(["TIME_WAIT", "LISTEN"]);

/**
 * Whether a connection of these servers is still open or closing: any socket with such a port that is
 * neither in TIME_WAIT nor listening. TIME_WAIT is counted when this is `false`.
 *
 * @param entries sockets of the table
 * @param serverPorts the ports of the servers
 * @returns whether there is one
 */
export function hasLiveConnection(
  entries: readonly SocketEntry[],
  serverPorts: ReadonlySet<number>,
): boolean {
  return entries.some(({ local, peer, state }) =>
    !SETTLED.has(state) && (serverPorts.has(local.port) || serverPorts.has(peer.port))
  );
}
