import type { RowOf } from "../../record/mod.ts";
import type { Exchange } from "../../transport/mod.ts";
import type { ServerCount } from "../_shared/subject.ts";
import type { Tables } from "./tables.ts";
import { partsOf, type Variant } from "./variants.ts";

type Cells<K extends keyof Tables["rounds"]> = Pick<RowOf<Tables["rounds"]>, K>;

/** What there is to tell a round's protocol. */
export interface ProtocolTraces {
  /** The requests. */
  readonly exchanges: readonly Pick<Exchange, "protocol">[];
  /** What the server counted; `null` when it tells nothing. */
  readonly server: ServerCount | null;
  /** The one protocol that the client speaks: no other can have carried an answer. */
  readonly spoken: string;
}

/**
 * The protocol of a round: the server's own word; else what the connections agreed on, as far as the client
 * shows it; else what the client speaks.
 *
 * @param traces what there is to tell it
 * @returns the cells
 */
export function protocolCells(traces: ProtocolTraces): Cells<"protocol" | "protocolReason"> {
  const { exchanges, server, spoken } = traces;
  const seen = new Set(server?.protocols ?? exchanges.flatMap(({ protocol }) => protocol ?? []));
  if (seen.size > 1) {
    return { protocol: null, protocolReason: `Its requests had ${[...seen].sort().join(" and ")}` };
  }
  return { protocol: [...seen][0] ?? spoken, protocolReason: null };
}

/** The columns of what only the server knows of a round's TLS. */
type TlsColumns =
  | "tlsVersion"
  | "tlsVersionReason"
  | "handshakesFull"
  | "handshakesResumed"
  | "handshakesReason";

/**
 * The version of TLS and the handshakes of a round, full and resumed ones apart, as the server saw them: neither
 * client tells.
 *
 * @param variant the variant
 * @param server what the server counted; `null` when it tells nothing
 * @returns the cells
 */
export function tlsCells(variant: Variant, server: ServerCount | null): Cells<TlsColumns> {
  const none = (handshakesReason: string, tlsVersionReason = handshakesReason) => ({
    ...{ tlsVersion: null, tlsVersionReason },
    ...{ handshakesFull: null, handshakesResumed: null, handshakesReason },
  });
  if (partsOf(variant).transport === "plain") {
    return none("There are none on a plain connection", "It is plain");
  }
  if (server === null) return none("Neither client tells, only the lab's own server on node");
  const { handshakes } = server;
  if (typeof handshakes === "string") return none(handshakes);
  const tlsVersion = handshakes.versions.join(" ") || null;
  return {
    tlsVersion,
    tlsVersionReason: tlsVersion === null ? "The server saw no handshake" : null,
    handshakesFull: handshakes.full,
    handshakesResumed: handshakes.resumed,
    handshakesReason: null,
  };
}
