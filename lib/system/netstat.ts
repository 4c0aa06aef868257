import { addressText, parseAddress } from "./_address.ts";
import {
  type AddressFamily,
  gather,
  type SocketEnd,
  type SocketEntry,
  type SocketFilter,
  type SocketState,
} from "./proc_tcp.ts";

/** A system whose socket table is told by its program `netstat`. */
export type NetstatSystem = "darwin" | "windows";

/** Names that differ from the kernel's here. The last two are of sockets without a connection. */
const STATES: Readonly<Record<string, SocketState>> = {
  ESTABLISHED: "ESTABLISHED",
  SYN_SENT: "SYN_SENT",
  SYN_RCVD: "SYN_RECV",
  SYN_RECEIVED: "SYN_RECV",
  FIN_WAIT_1: "FIN_WAIT1",
  FIN_WAIT_2: "FIN_WAIT2",
  TIME_WAIT: "TIME_WAIT",
  CLOSE_WAIT: "CLOSE_WAIT",
  LAST_ACK: "LAST_ACK",
  CLOSING: "CLOSING",
  LISTEN: "LISTEN",
  LISTENING: "LISTEN",
  CLOSED: "CLOSE",
  DELETE_TCB: "CLOSE",
  BOUND: "CLOSE",
};

/** Which columns of a line of each system are wanted, and what stands between an address and its port. */
const LAYOUTS = {
  darwin: { protocol: /^tcp(4|6|46)$/, local: 3, peer: 4, state: 5, separator: "." },
  windows: { protocol: /^TCP$/, local: 1, peer: 2, state: 3, separator: ":" },
} as const;

const ANY = { ipv4: "0.0.0.0", ipv6: "::" } as const;

function end(text: string, separator: string, family: AddressFamily): SocketEnd | null {
  const at = text.lastIndexOf(separator);
  const [host, port] = [text.slice(0, at).replace(/^\[(.*)\]$/, "$1"), text.slice(at + 1)];
  if (!/^(\d{1,5}|\*)$/.test(port)) return null;
  const number = port === "*" ? 0 : Number(port);
  if (host === "*") return { address: ANY[family], port: number };
  // The zone of a link-local address says which link it is on, which no other table tells.
  const bytes = parseAddress(host.replace(/%.*$/, ""));
  return bytes && { address: addressText(bytes, 0, bytes.length === 4 ? 4 : 16), port: number };
}

/**
 * The TCP sockets in what `netstat` has written: `netstat -anW -p tcp` on macOS, where long addresses are cut
 * off without `-W`; `netstat -ano -p tcp` and `-p tcpv6` on Windows in English, as it translates the states.
 * No process of the lab runs it, as the one that measures has no right to start programs: it is for text that
 * was taken down on such a system.
 *
 * Source: netstat(1) of macOS; its states, XNU, `bsd/netinet/tcp_fsm.h` (`tcpstates`). Windows commands,
 * `netstat`; its states, [MS-RRASM] 2.2.1.1.11 (MIB_TCP_STATE).
 *
 * @param text what it has written
 * @param system on which system
 * @param filter which sockets are wanted
 * @returns the sockets in its order; lines of another kind, such as headings, are passed over
 * @throws {RangeError} a wanted socket is in a state that is not known, or its address cannot be read
 *
 * @example
 * ```ts
 * import { parseNetstat } from "./netstat.ts";
 * import { assertEquals } from "@std/assert";
 * const line = "tcp4       0      0  127.0.0.1.50000        127.0.0.1.8080         TIME_WAIT";
 * assertEquals(parseNetstat(line, "darwin"), [{
 *   family: "ipv4",
 *   local: { address: "127.0.0.1", port: 50_000 },
 *   peer: { address: "127.0.0.1", port: 8080 },
 *   state: "TIME_WAIT",
 * }]);
 * ```
 */
export function parseNetstat(text: string, system: NetstatSystem, filter: SocketFilter = {}): SocketEntry[] {
  const { protocol, separator, ...columns } = LAYOUTS[system];
  const { ports, states } = filter;
  return gather((visit) => {
    for (const line of text.split(/\r?\n/)) {
      const fields = line.trim().split(/\s+/);
      if (!protocol.test(fields[0]!)) continue;
      const localText = fields[columns.local] ?? "";
      const isIpv6 = system === "darwin" ? fields[0] !== "tcp4" : localText.startsWith("[");
      const family = isIpv6 ? "ipv6" : "ipv4";
      const local = end(localText, separator, family);
      const peer = end(fields[columns.peer] ?? "", separator, family);
      if (local === null || peer === null) {
        throw new RangeError(
          `Cannot read the socket table as an address is cut off or unknown: ${line.trim()}`,
        );
      }
      if (ports !== undefined && !ports.has(local.port) && !ports.has(peer.port)) continue;
      const state = STATES[fields[columns.state] ?? ""];
      if (state === undefined) {
        throw new RangeError(`Cannot read the socket table as a state is unknown: ${line.trim()}`);
      }
      if (states !== undefined && !states.has(state)) continue;
      const own = local.address.includes(":") ? "ipv6" : "ipv4";
      visit(own, state, local.address, local.port, peer.address, peer.port);
    }
  });
}
