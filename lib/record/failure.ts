/** Whose limit or fault a failure is. */
export type Side = "client" | "server" | "network" | "unknown";

/** The part of an exchange in which a failure came. */
export type Phase = "client" | "dns" | "connect" | "tls" | "send" | "wait" | "receive";

/** What is known of one kind of failure. */
export interface FailureKind {
  /** What a person sees. */
  readonly symptom: string;
  /** Where it comes from. */
  readonly cause: string;
  /** Whose limit or fault it is where nothing more is known. */
  readonly side: Side;
  /** What can be done about it. */
  readonly remedy: string;
}

/** A failure inside a measurement: a row, not a throw. */
export interface Failure {
  /** The part of the exchange in which it came. */
  readonly phase: Phase;
  /** Its kind, a key of {@linkcode FAILURES}. */
  readonly kind: FailureName;
  /** Whose limit or fault it is. */
  readonly side: Side;
}

/**
 * Every kind of failure that a row can name. The list is closed: what fits nowhere is `other`, and its
 * message stands in the run's warnings.
 *
 * Source: errno(3), tcp(7), getaddrinfo(3), RFC 9293 (reset), RFC 9112 (message framing), RFC 8446 §6 (TLS alerts).
 */
export const FAILURES = {
  "local-ports-exhausted": {
    symptom: "Cannot assign requested address (EADDRNOTAVAIL)",
    cause: "No ephemeral port is free for this source and destination, often for sockets in TIME_WAIT",
    side: "client",
    remedy:
      "Keep connections open and reuse them, add a source or destination address, or widen the port range",
  },
  "address-in-use": {
    symptom: "Address already in use (EADDRINUSE)",
    cause: "The local address and port are taken by another socket, or bind() finds no port free to choose",
    side: "client",
    remedy:
      "Let the system choose the port at connect() (IP_BIND_ADDRESS_NO_PORT), or close the other socket first",
  },
  "descriptors-exhausted": {
    symptom: "Too many open files (EMFILE, ENFILE)",
    cause: "The process or the system has no file descriptor left",
    side: "client",
    remedy: "Raise the descriptor limit, or hold fewer connections in one process",
  },
  "queue-full": {
    symptom: "No connection is free, and no more requests may wait for one",
    cause: "The pool is at its limit of connections, and its queue is full",
    side: "client",
    remedy: "Raise the pool's limits, or make fewer requests at a time",
  },
  "refused": {
    symptom: "Connection refused (ECONNREFUSED)",
    cause: "Nothing listens at the address, or its accept queue is full and the system answers with a reset",
    side: "server",
    remedy: "Start the server, or correct the port",
  },
  "timed-out": {
    symptom: "Connection timed out (ETIMEDOUT), or no answer within the allowed time",
    cause: "Packets are lost or dropped, or the server does not answer",
    side: "unknown",
    remedy: "Look at the accept queue and at firewalls on the way, then at the server's own queue",
  },
  "reset": {
    symptom: "Connection reset by peer (ECONNRESET), broken pipe (EPIPE)",
    cause:
      "The peer or a middlebox gave up the connection, often an idle one that was closed just before its reuse",
    side: "server",
    remedy:
      "Keep the client's idle timeout below every other one on the way, and retry once what may be repeated",
  },
  "closed-early": {
    symptom: "The connection ended before the response was complete",
    cause: "The server closed in the middle of a response, or without answering",
    side: "server",
    remedy: "Look at the server's log for this request",
  },
  "bad-response": {
    symptom: "What came is not a well-formed HTTP/1.1 response",
    cause: "Another protocol answers at this port, or the server breaks the framing",
    side: "server",
    remedy: "Check that the port speaks HTTP/1.1, with TLS or without it as it is addressed",
  },
  "certificate-refused": {
    symptom: "The client does not accept the server's certificate, and ends the TLS handshake",
    cause: "It has expired or is not valid yet, is for another name, or its issuer is not trusted",
    side: "unknown",
    remedy:
      "Renew the certificate, address the server by a name that it is for, or trust its issuer (a CA file)",
  },
  "tls-failed": {
    symptom: "The TLS handshake failed, or one side ended the connection with a TLS alert",
    cause: "The port does not speak TLS, or the two sides have no version, cipher or protocol in common",
    side: "unknown",
    remedy: "Check that the port speaks TLS, and what versions and protocols (ALPN) each side offers",
  },
  "unreachable": {
    symptom: "Network or host unreachable (ENETUNREACH, EHOSTUNREACH)",
    cause: "There is no route to the address",
    side: "network",
    remedy: "Check the address and the routes to it",
  },
  "name-not-found": {
    symptom: "Name or service not known (getaddrinfo)",
    cause: "The name has no address, or the resolver cannot be reached",
    side: "unknown",
    remedy: "Check the spelling, or give an address in its place",
  },
  "other": {
    symptom: "An error that the list does not know",
    cause: "See the run's warnings for its message",
    side: "unknown",
    remedy: "Please report it",
  },
} as const satisfies Record<string, FailureKind>;

/** A key of {@linkcode FAILURES}. */
export type FailureName = keyof typeof FAILURES;

/** What {@linkcode failure} may be told. */
export interface FailureOptions {
  /**
   * Whose limit or fault it is, where that is known better than from the kind alone: a server that runs out of
   * descriptors, a middlebox that resets. @default {what the list gives}
   */
  side?: Side;
}

/**
 * The failure of a kind in a phase.
 *
 * @param phase the part of the exchange in which it came
 * @param kind its kind
 * @param options what is known better
 * @returns the failure
 *
 * @example
 * ```ts
 * import { failure } from "./failure.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(failure("connect", "refused"), { phase: "connect", kind: "refused", side: "server" });
 * assertEquals(failure("wait", "reset", { side: "network" }).side, "network");
 * ```
 */
export function failure(phase: Phase, kind: FailureName, options: FailureOptions = {}): Failure {
  const { side = FAILURES[kind].side } = options;
  return { phase, kind, side };
}
