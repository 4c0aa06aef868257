import { type Failure, failure } from "../../record/mod.ts";
import { classify, describe } from "../classify.ts";
import type { Exchange } from "../client.ts";
import type { Answer } from "../exchange.ts";
import { TlsHandshakeError } from "../tls.ts";
import type { Flight } from "./_flight.ts";
import type { AcquireError } from "./acquire_error.ts";
import type { Lease } from "./options.ts";

/** A request over a kept connection that failed before a byte of the response came, and was sent once more. */
export interface FailedAttempt {
  /** The connection's place among those that the pool opened, from 1. */
  readonly connection: number;
  /** The client's port. */
  readonly localPort: number;
  /** How long ago it was opened, in milliseconds. */
  readonly ageMs: number;
  /** How long it had been idle, in milliseconds. */
  readonly idleMs: number;
  /** What went wrong. */
  readonly failure: Failure;
  /** What the runtime said of it. */
  readonly error: string | null;
}

/**
 * One request over a pool, and its response. The phases are those of the last attempt; `elapsedMs` is the whole
 * request, with the wait for a connection and the attempts that failed.
 */
export interface PooledExchange extends Exchange {
  /** Whether the connection had carried a request before; `null` when there was none. */
  readonly reused: boolean | null;
  /** How long before it was opened, in milliseconds; `null` when there was none. */
  readonly ageMs: number | null;
  /** How long it had been idle, in milliseconds; `null` when it was opened for this request, or there was none. */
  readonly idleMs: number | null;
  /** How long the request waited for its turn, in milliseconds. */
  readonly queuedMs: number;
  /** The address behind the origin's name; `null` when it did not come that far. */
  readonly address: string | null;
  /** How often it was tried. */
  readonly attempts: number;
  /** What came before the last attempt. */
  readonly failedAttempts: readonly FailedAttempt[];
}

const TOO_LATE = "The time limit of the request has passed";

/** What there is to tell of an attempt that is repeated. */
export function failedAttempt(lease: Lease, { failure, error }: Answer): FailedAttempt {
  const { id, ageMs, idleMs, connection: { localPort } } = lease;
  return { connection: id, localPort, ageMs, idleMs: idleMs!, failure: failure!, error };
}

/** A request that had a connection. */
export function madeOver(flight: Flight, lease: Lease, answer: Answer, elapsedMs: number): PooledExchange {
  const { connection, idleMs } = lease;
  const late = answer.failure !== null && flight.ended === "timeout";
  // Written out and not spread, as this runs for every request.
  return {
    startMs: flight.startMs,
    clientMs: null,
    dnsMs: lease.dnsMs,
    connectMs: idleMs === null ? connection.connectMs : null,
    tlsMs: idleMs === null ? connection.tlsMs : null,
    sendMs: answer.sendMs,
    waitMs: answer.waitMs,
    receiveMs: answer.receiveMs,
    elapsedMs,
    status: answer.status,
    bodyBytes: answer.bodyBytes,
    localPort: connection.localPort,
    connection: lease.id,
    protocol: connection.protocol,
    serverCloses: answer.serverCloses,
    failure: late ? failure(answer.failure!.phase, "timed-out") : answer.failure,
    error: late ? TOO_LATE : answer.error,
    reused: lease.reused,
    ageMs: lease.ageMs,
    idleMs,
    queuedMs: flight.queuedMs,
    address: lease.address,
    attempts: flight.failedAttempts.length + 1,
    failedAttempts: flight.failedAttempts,
  };
}

/** A request that had none, at least not in its last attempt. */
export function madeWithout(flight: Flight, error: AcquireError, elapsedMs: number): PooledExchange {
  const { cause, phase, times, address } = error;
  const late = flight.ended === "timeout";
  const connectMs = cause instanceof TlsHandshakeError ? cause.connectMs : times.connect;
  let failed: Failure;
  if (phase === "queue") failed = failure("client", late ? "timed-out" : "queue-full", { side: "client" });
  else failed = late ? failure(phase, "timed-out") : classify(cause, phase);
  return {
    startMs: flight.startMs,
    clientMs: null,
    dnsMs: times.dns,
    connectMs,
    tlsMs: connectMs === times.connect ? null : times.connect! - connectMs!,
    sendMs: null,
    waitMs: null,
    receiveMs: null,
    elapsedMs,
    status: null,
    bodyBytes: 0,
    localPort: null,
    connection: null,
    protocol: null,
    serverCloses: null,
    failure: failed,
    error: late ? TOO_LATE : describe(cause ?? error),
    reused: null,
    ageMs: null,
    idleMs: null,
    queuedMs: flight.queuedMs + (times.queue ?? 0),
    address,
    attempts: flight.failedAttempts.length + 1,
    failedAttempts: flight.failedAttempts,
  };
}
