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
  /** The client's port of a connection that carried all requests; `null` when none is known to have. */
  readonly keptPort: number | null;
  /** Answers before the last that announced that the server ends the connection. */
  readonly announcedCloses: number;
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
 * Connections are the server's connection events; else the client's own count; else the ports that the server
 * saw, which tell connections apart while no port is used twice; else what the socket table shows, which is all
 * of them only where it cannot be more. Sockets in TIME_WAIT vanish from the table when the system uses them
 * again, so fewer of them than connections is no count where that may have happened.
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
  const lost = connections.value === null || client + server < connections.value
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
  const { opened, server } = traces;
  if (server?.by === "events") return { value: server.connections, reason: null };
  if (opened !== null) return { value: opened, reason: null };
  return server === null ? byTable(traces) : byPort(server.connections, traces, environment);
}

/**
 * A connection that was reset leaves nothing in the table, nor does one that ended at a server elsewhere, so what
 * is seen is the least that there were. No client opens more connections than it makes requests.
 */
function byTable(traces: RoundTraces): Count {
  const { requests, keptPort, announcedCloses, left, serverPort } = traces;
  const ports = new Set(keptPort === null ? [] : [keptPort]);
  if (typeof left !== "string") {
    for (const { local, peer } of left.entries) ports.add(peer.port === serverPort ? local.port : peer.port);
  }
  const least = Math.max(ports.size, announcedCloses === 0 ? 0 : announcedCloses + 1);
  if (least === requests || least === 1 && keptPort !== null) return { value: least, reason: null };
  return { value: null, reason: whyNotAll(least, traces) };
}

function whyNotAll(least: number, { requests, announcedCloses, left }: RoundTraces): string {
  if (least > requests) {
    return `The socket table shows ${least} connections for ${requests} requests: another client of this ` +
      "machine is at the server too";
  }
  if (announcedCloses > 0) {
    return `At least ${least}: with ${announcedCloses} answers the server announced that it ends the connection`;
  }
  if (typeof left === "string") return left;
  if (least === 0) return "The connections left nothing in this machine's socket table";
  return `At least ${least}: the socket table does not show all connections of the client, such as those that ` +
    "were reset";
}

/** Ports tell connections apart while none is used twice. */
function byPort(value: number, traces: RoundTraces, environment: Environment): Count {
  const { requests, keepsConnection, left } = traces;
  const range = environment.network.ephemeralPorts;
  const reason = "Deno.serve tells connections apart by client port only";
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
