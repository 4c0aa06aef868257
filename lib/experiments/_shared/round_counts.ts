import type { Environment } from "../../record/mod.ts";
import type { LeftSockets } from "./socket_ledger.ts";
import type { ConnectionCount } from "./subject.ts";

/** A count, or why there is none. */
export interface Count {
  /** How many; `null` when they could not be counted. */
  readonly value: number | null;
  /** Why there is no value; `null` when there is one. */
  readonly reason: string | null;
}

/** What is known of a round when its connections are gone. */
export interface RoundTraces {
  /** Whether its requests share one connection. */
  readonly keepsConnection: boolean;
  /** How many requests it made. */
  readonly requests: number;
  /** How long they took, in milliseconds. */
  readonly elapsedMs: number;
  /** How many connections the client says it opened; `null` when it does not tell. */
  readonly opened: number | null;
  /** What the server counted; `null` when it tells nothing. */
  readonly server: ConnectionCount | null;
  /** What the socket table shows of it, or why it shows nothing. */
  readonly left: LeftSockets | string;
  /** Whether the server's end is in the same table. */
  readonly local: boolean;
  /** The port that the server listens on. */
  readonly serverPort: number;
}

/** What was counted of a round. */
export interface RoundCounts {
  /** Connections made. */
  readonly connections: Count;
  /** Sockets that it added in TIME_WAIT on the client's side. */
  readonly timeWaitClient: Count;
  /** Sockets that it added in TIME_WAIT on the server's side. */
  readonly timeWaitServer: Count;
}

/** From what age the system may use a socket in TIME_WAIT again: Linux, `tcp_twsk_unique`. */
const REUSE_AGE_MS = 1000;

/**
 * Counts what a round did, from whatever tells it best, and gives a reason where nothing tells it for sure.
 *
 * Connections are the server's connection events; else the client's own count; else ports, which tell
 * connections apart while no port is used twice. Sockets in TIME_WAIT vanish from the table when the system
 * uses them again, so fewer of them than connections is no count where that may have happened.
 *
 * @param traces what is known of the round
 * @param environment the settings that decide what the system may use again
 * @returns the counts
 */
export function countRound(traces: RoundTraces, environment: Environment): RoundCounts {
  const connections = countConnections(traces, environment);
  const { left, local } = traces;
  if (typeof left === "string") {
    const none = { value: null, reason: left };
    return { connections, timeWaitClient: none, timeWaitServer: none };
  }
  const { client, server } = left.timeWait;
  const lost = connections.value !== null && client + server < connections.value
    ? whyLost(traces, left, environment)
    : null;
  const counted = (value: number): Count =>
    lost === null ? { value, reason: null } : { value: null, reason: lost };
  return {
    connections,
    timeWaitClient: counted(client),
    timeWaitServer: local
      ? counted(server)
      : { value: null, reason: "The server's sockets are not in this machine's table" },
  };
}

function countConnections(traces: RoundTraces, environment: Environment): Count {
  const { opened, server, requests, left } = traces;
  if (server?.by === "events") return { value: server.connections, reason: null };
  if (opened !== null) return { value: opened, reason: null };
  if (server !== null) return byPort(server.connections, "Deno.serve tells", traces, environment);
  if (typeof left === "string") return { value: null, reason: left };
  const count = new Set(
    left.entries.map(({ local, peer }) => peer.port === traces.serverPort ? local.port : peer.port),
  );
  if (count.size === 0 && requests > 0) {
    return { value: null, reason: "The connections left nothing in this machine's socket table" };
  }
  return byPort(count.size, "The socket table tells", traces, environment);
}

/** Ports tell connections apart while none is used twice. */
function byPort(value: number, who: string, traces: RoundTraces, environment: Environment): Count {
  const { requests, keepsConnection, left } = traces;
  const range = environment.network.ephemeralPorts;
  const reason = `${who} connections apart by client port only`;
  if (range !== null && requests > (range[1] - range[0] + 1) / 2) {
    return {
      value: null,
      reason: `${reason}, and ${requests} requests may need more than half of the ephemeral ports`,
    };
  }
  const expected = keepsConnection ? 1 : requests;
  const reuse = value < expected
    ? whyReused(traces, typeof left === "string" ? null : left, environment)
    : null;
  return reuse === null ? { value, reason: null } : { value: null, reason: `${reason}, and ${reuse}` };
}

/** Why fewer sockets in TIME_WAIT than connections are no count; `null` when they are one. */
function whyLost(traces: RoundTraces, left: LeftSockets, environment: Environment): string | null {
  const { tcpMaxTwBuckets } = environment.network;
  if (tcpMaxTwBuckets !== null && left.systemTotal >= tcpMaxTwBuckets) {
    return `The system keeps at most ${tcpMaxTwBuckets} sockets in TIME_WAIT (tcp_max_tw_buckets), and has as many`;
  }
  if (!traces.local && left.timeWait.client === 0) return null;
  const reuse = whyReused(traces, left, environment);
  return reuse === null ? null : `The table lost some, as ${reuse}`;
}

/** Why a socket in TIME_WAIT may have been used again; `null` when none can have been. */
function whyReused(
  { elapsedMs, local }: RoundTraces,
  left: LeftSockets | null,
  environment: Environment,
): string | null {
  const setting = environment.network.tcpTwReuse;
  const allowed = setting === null || setting === 1 || setting === 2 && local;
  if (!allowed || !(left?.hadOlder ?? true) && elapsedMs < REUSE_AGE_MS) return null;
  return `the system may use a port again whose socket is in TIME_WAIT for a second (tcp_tw_reuse is ${
    setting ?? "not known"
  })`;
}
