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

/** Whose limit a {@linkcode ConditionKind} is; `nobody` where everything is as it was meant to be. */
export type Limit = Side | "nobody";

/** What is known of one condition. */
export interface ConditionKind extends Omit<FailureKind, "side"> {
  /** Whose limit it is where nothing more is known. */
  readonly side: Limit;
}

/**
 * Conditions under load that are no errors: nothing failed, and yet something waits, fills up or is counted other
 * than expected. Taking one for a failure, or for a limit of the other side, is the usual mistake. The list is
 * closed. What the times of one exchange show stands in {@linkcode LABELS}.
 *
 * Source: tcp(7), listen(2), RFC 9293 §3.6 (TIME-WAIT), RFC 9110 §15.5.9 (408), Linux ip-sysctl
 * (`ip_local_port_range`, `somaxconn`); G. Tene, "How NOT to Measure Latency" (2013), on coordinated omission.
 */
export const CONDITIONS = {
  "waits-by-design": {
    symptom: "Many requests are in flight for long, and none fails",
    cause: "The server answers late on purpose: slow work, long polling, a stream",
    side: "nobody",
    remedy: "Count them as in flight, and let no time limit of the client end them",
  },
  "idle-connections": {
    symptom: "Many connections are active while few requests are in flight",
    cause:
      "Clients keep connections for their next request; each takes memory and a descriptor at the server",
    side: "nobody",
    remedy: "Budget for them, or set an idle timeout at the server that is longer than its clients'",
  },
  "time-wait-fills": {
    symptom: "Sockets in TIME_WAIT grow by as many as there are requests, and connects still succeed",
    cause: "Each request has a connection of its own; the side that closes first keeps its port for a minute",
    side: "client",
    remedy: "Keep connections open and reuse them before the port range is full",
  },
  "half-of-ports-taken": {
    symptom: "connect() takes many times as long from a certain number of connections on",
    cause: "Ports of one parity are taken, and the kernel tries those before it goes on to the others",
    side: "client",
    remedy: "Widen the range, add a source address, or set IP_LOCAL_PORT_RANGE on the socket",
  },
  "accept-queue-full": {
    symptom: "Connects take whole seconds while the server looks idle, and ListenOverflows grows",
    cause: "The accept queue is at its backlog: the kernel drops what would complete a handshake",
    side: "server",
    remedy:
      "Raise the listener's backlog and somaxconn, accept sooner, or open connections in smaller bursts",
  },
  "not-accepted-yet": {
    symptom: "A client holds more connections than the server counts",
    cause:
      "The kernel completes handshakes by itself; the server is busy, or has no descriptor to accept with",
    side: "server",
    remedy: "Look at the accept queue (ss -ltn), then at the server's descriptors and processor time",
  },
  "server-out-of-descriptors": {
    symptom: "The server ends, or accepts no more, while clients are well below their own limits",
    cause: "Its process has reached its descriptor limit (EMFILE); some servers crash on it",
    side: "server",
    remedy: "Raise the server's descriptor limit, or cap its connections below it",
  },
  "header-never-ends": {
    symptom: "Connections stay open for good with half a request header, and none is answered",
    cause: "The server has no header timeout, so that a client that sends slowly holds a place (slowloris)",
    side: "server",
    remedy: "Set a header timeout, and know at what interval the server checks it",
  },
  "reclaimed": {
    symptom: "The server ends connections that were open, with 408 (Request Timeout) or without a word",
    cause: "A header, request or idle timeout of the server is up",
    side: "nobody",
    remedy: "This is what the timeout is for; keep the client's idle timeout below it",
  },
  "processor-bound": {
    symptom: "More connections bring no more answers per second, only longer response times",
    cause: "Every processor of the server computes; rate times response time stays near the connections",
    side: "server",
    remedy: "Compute less for a request, or add workers and processors: more connections do not help",
  },
  "stall-hidden": {
    symptom: "Service times are short while response times are long",
    cause:
      "Requests were due while every connection was taken: a stall, counted from the actual start, vanishes",
    side: "server",
    remedy: "Judge by response times, which count from the intended start (open loop)",
  },
  "generator-at-limit": {
    symptom: "The rate stays the same whatever the server does, with a thread of the client at full use",
    cause: "The load generator has used up its processor",
    side: "client",
    remedy:
      "Give it more threads or shards, or a processor of its own, before reading anything off the server",
  },
  "timer-late": {
    symptom: "Requests begin later than intended although connections are free",
    cause: "The load generator wakes up late: too high a rate for one thread, or other work on the machine",
    side: "client",
    remedy: "Lower the rate, add threads, or end the other work",
  },
  "fewer-connections": {
    symptom: "A client holds fewer connections open than it was asked for, without an error",
    cause: "Its pool reuses or closes connections by its own rules, as that of fetch does",
    side: "client",
    remedy: "Hold connections with a client that has no pool (raw, epoll)",
  },
  "sent-again-unseen": {
    symptom: "The server receives more requests than the client has made",
    cause: "The client repeats a request by itself when a reused connection turns out to be closed",
    side: "client",
    remedy: "Count at the server, and measure failures with a client that never repeats",
  },
} as const satisfies Record<string, ConditionKind>;

/** A key of {@linkcode CONDITIONS}. */
export type ConditionName = keyof typeof CONDITIONS;
