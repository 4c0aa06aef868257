import type { Side } from "./failure.ts";

/** What is known of one label. */
export interface LabelKind {
  /** What was seen of the exchange. */
  readonly meaning: string;
  /** Where it comes from. */
  readonly cause: string;
  /** Whose limit or fault it is where nothing more is known. */
  readonly side: Side;
  /** What can be done about it. */
  readonly remedy: string;
}

/**
 * Every label that an exchange can have: a pattern of TCP that its times or its failure show. The list is
 * closed. A label says what is likely, where a failure says what happened.
 *
 * Source: RFC 9112 §9.3.1 and §9.5 (a connection may end at any time, retries); RFC 896 (Nagle's algorithm), RFC
 * 9293 §3.8.6.3 (delayed ACK), Linux include/net/tcp.h (`TCP_DELACK_MIN`); RFC 6298 §2 (1 s before the
 * first retransmission), Linux ip-sysctl (`tcp_syn_linear_timeouts`).
 */
export const LABELS = {
  "stale-reuse": {
    meaning: "A reused connection was reset, or ended, before any byte of the response",
    cause:
      "The server, or a middlebox, had given up the idle connection, and the client did not know yet when it sent",
    side: "unknown",
    remedy:
      "Keep the client's idle timeout below every other one on the way, and retry once what may be repeated",
  },
  "delayed-ack": {
    meaning: "A wait of 39 to 60 ms on a reused connection: the floor of a delayed ACK, 40 ms on Linux",
    cause:
      "One side writes a message in two pieces with Nagle's algorithm on: the second waits until the other side acknowledges the first, which it does late",
    side: "unknown",
    remedy: "Write a message at once, or turn Nagle's algorithm off (TCP_NODELAY) on the side that writes",
  },
  "syn-repeated": {
    meaning: "Connecting took as long as a SYN that was sent again after 1 s, or after several such waits",
    cause: "The SYN was dropped, by a full accept queue more often than by the network",
    side: "server",
    remedy:
      "Look at the server's accept queue (ss -ltn, nstat -az TcpExtListenOverflows) and raise its backlog",
  },
} as const satisfies Record<string, LabelKind>;

/** A key of {@linkcode LABELS}. */
export type Label = keyof typeof LABELS;
