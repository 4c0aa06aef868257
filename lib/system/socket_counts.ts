import type { SocketEnd, SocketFilter, SocketState, SocketVisit } from "./proc_tcp.ts";
import { visitSockets } from "./sockets.ts";

/** Sockets that have a state, a side and a peer in common. */
export interface SocketCount {
  /** Their state. */
  readonly state: SocketState;
  /** Whose they are: `server` when their own port is a server's, `client` when their peer's is. */
  readonly side: "client" | "server";
  /** The other end: for a client's the server, for a server's the client's address with port 0, for every port. */
  readonly peer: SocketEnd;
  /** How many they are. */
  readonly count: number;
}

type Tally = { -readonly [K in keyof SocketCount]: SocketCount[K] };

/**
 * Counts sockets by state, side and peer, without making an object for each: what follows thousands of
 * sockets between two steps of a measurement. Those with no server's port at either end are left out; one with
 * such a port at both ends counts as the server's.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @param serverPorts the ports on which servers listen
 * @param states the states that are wanted. @default {all}
 * @returns the counts, in the order in which each was first met
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 * @throws {Deno.errors.NotFound} this system has no such table
 *
 * @example
 * ```ts ignore
 * const counts = countSockets(new Set([8080]), new Set(["TIME_WAIT"]));
 * const left = counts.filter(({ side }) => side === "client").reduce((sum, { count }) => sum + count, 0);
 * ```
 */
export function countSockets(
  serverPorts: ReadonlySet<number>,
  states?: ReadonlySet<SocketState>,
): SocketCount[] {
  const filter: SocketFilter = { ports: serverPorts, ...(states === undefined ? {} : { states }) };
  return tally(serverPorts, (visit) => visitSockets(filter, visit));
}

/**
 * Counts the sockets that a reader of the table shows.
 *
 * @param serverPorts the ports on which servers listen
 * @param read the reader
 * @returns the counts, in the order in which each was first met
 */
export function tally(serverPorts: ReadonlySet<number>, read: (visit: SocketVisit) => void): SocketCount[] {
  const counts: Tally[] = [];
  let last: Tally | undefined;
  read((_family, state, _localAddress, localPort, address, peerPort) => {
    const side = serverPorts.has(localPort) ? "server" : serverPorts.has(peerPort) ? "client" : null;
    if (side === null) return;
    const port = side === "server" ? 0 : peerPort;
    const isSame = (known: Tally) =>
      known.state === state && known.side === side && known.peer.port === port &&
      known.peer.address === address;
    if (last === undefined || !isSame(last)) {
      last = counts.find(isSame);
      if (last === undefined) counts.push(last = { state, side, peer: { address, port }, count: 0 });
    }
    last.count++;
  });
  return counts;
}
