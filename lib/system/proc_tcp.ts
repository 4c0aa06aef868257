import { formatAddress, isMapped } from "./_address.ts";

/** The version of the Internet Protocol under a socket. */
export type AddressFamily = "ipv4" | "ipv6";

/**
 * The states of a TCP socket in the kernel's names and order: a state's number is its place plus one.
 *
 * Source: Linux, `include/net/tcp_states.h`; RFC 9293, 3.3.2.
 */
export const SOCKET_STATES = [
  "ESTABLISHED",
  "SYN_SENT",
  "SYN_RECV",
  "FIN_WAIT1",
  "FIN_WAIT2",
  "TIME_WAIT",
  "CLOSE",
  "CLOSE_WAIT",
  "LAST_ACK",
  "LISTEN",
  "CLOSING",
  "NEW_SYN_RECV",
] as const;

/** One of {@linkcode SOCKET_STATES}. */
export type SocketState = (typeof SOCKET_STATES)[number];

/** One end of a socket. */
export interface SocketEnd {
  /** The address: dotted for IPv4, as RFC 5952 has it for IPv6. */
  readonly address: string;
  /** The port; 0 for the peer of a listening socket. */
  readonly port: number;
}

/** One TCP socket of the table. */
export interface SocketEntry {
  /** `ipv4` also for an IPv4 connection of a dual-stack socket. */
  readonly family: AddressFamily;
  /** Its own end. */
  readonly local: SocketEnd;
  /** The other end. */
  readonly peer: SocketEnd;
  /** Its state. */
  readonly state: SocketState;
}

/** Which sockets are wanted. */
export interface SocketFilter {
  /** Those with one of these ports at either end. @default {all} */
  readonly ports?: ReadonlySet<number>;
  /** Those in one of these states. @default {all} */
  readonly states?: ReadonlySet<SocketState>;
}

/** What a reader of the socket table calls for each socket that is wanted: no object is made for it. */
export type SocketVisit = (
  family: AddressFamily,
  state: SocketState,
  localAddress: string,
  localPort: number,
  peerAddress: string,
  peerPort: number,
) => void;

/**
 * Gathers the sockets that a reader of the table shows.
 *
 * @param read the reader
 * @returns the sockets in its order
 */
export function gather(read: (visit: SocketVisit) => void): SocketEntry[] {
  const entries: SocketEntry[] = [];
  read((family, state, localAddress, localPort, peerAddress, peerPort) => {
    entries.push({
      family,
      local: { address: localAddress, port: localPort },
      peer: { address: peerAddress, port: peerPort },
      state,
    });
  });
  return entries;
}

/** The value of `length` upper-case hexadecimal digits, without making a string of them. */
function hexAt(text: string, at: number, length: number): number {
  let value = 0;
  for (let index = at; index < at + length; index++) {
    const code = text.charCodeAt(index);
    value = value << 4 | code - (code < 58 ? 48 : 55);
  }
  return value;
}

function stateAt(text: string, at: number): SocketState {
  const state = SOCKET_STATES[hexAt(text, at, 2) - 1];
  if (state === undefined) {
    throw new RangeError(
      `Cannot read the socket table as a state is unknown: current value is ${text.slice(at, at + 2)}`,
    );
  }
  return state;
}

/**
 * The sockets in the text of `/proc/net/tcp` or `/proc/net/tcp6`. Positions count from the colon after
 * the line's number, which grows wider and shifts the columns from line 10,000. Ports are compared as
 * they stand, so that what is filtered out costs no objects.
 *
 * Source: proc_net(5); Linux, `net/ipv4/tcp_ipv4.c` (`get_tcp4_sock`).
 *
 * @param text the text of the file, with its header
 * @param family which of the two files it is
 * @param filter which sockets are wanted
 * @returns the sockets in the order of the file
 * @throws {RangeError} a wanted socket is in a state that the list does not know
 *
 * @example
 * ```ts
 * import { parseProcTcp } from "./proc_tcp.ts";
 * import { assertEquals } from "@std/assert";
 * const text = "  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A\n";
 * assertEquals(parseProcTcp(text, "ipv4"), [{
 *   family: "ipv4",
 *   local: { address: "127.0.0.1", port: 8080 },
 *   peer: { address: "0.0.0.0", port: 0 },
 *   state: "LISTEN",
 * }]);
 * ```
 */
export function parseProcTcp(text: string, family: AddressFamily, filter: SocketFilter = {}): SocketEntry[] {
  return gather((visit) => visitProcTcp(text, family, filter, visit));
}

/**
 * Shows the sockets in the text of `/proc/net/tcp` or `/proc/net/tcp6`, as {@linkcode parseProcTcp} reads them.
 *
 * @param text the text of the file, with its header
 * @param family which of the two files it is
 * @param filter which sockets are wanted
 * @param visit what is called for each
 * @throws {RangeError} a wanted socket is in a state that the list does not know
 */
export function visitProcTcp(
  text: string,
  family: AddressFamily,
  filter: SocketFilter,
  visit: SocketVisit,
): void {
  const { ports, states } = filter;
  const digits = family === "ipv4" ? 8 : 32;
  const addresses = new Map<string, string>();
  const address = (hex: string): string => {
    const known = addresses.get(hex);
    if (known !== undefined) return known;
    const formatted = formatAddress(hex);
    addresses.set(hex, formatted);
    return formatted;
  };

  let line = text.indexOf("\n") + 1;
  while (line > 0) {
    const colon = text.indexOf(":", line);
    if (colon < 0) break;
    line = text.indexOf("\n", colon) + 1;

    const local = colon + 2;
    const peer = local + digits + 6;
    const localPort = hexAt(text, local + digits + 1, 4);
    const peerPort = hexAt(text, peer + digits + 1, 4);
    if (ports !== undefined && !ports.has(localPort) && !ports.has(peerPort)) continue;
    const state = stateAt(text, peer + digits + 6);
    if (states !== undefined && !states.has(state)) continue;

    const localHex = text.slice(local, local + digits);
    visit(
      isMapped(localHex) ? "ipv4" : family,
      state,
      address(localHex),
      localPort,
      address(text.slice(peer, peer + digits)),
      peerPort,
    );
  }
}
