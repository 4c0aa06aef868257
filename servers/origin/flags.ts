import { choice, duration, flag, integer, optionName } from "../../lib/record/mod.ts";
import { descriptorsFlag } from "../_shared/descriptors.ts";
import { HOSTNAME, misuse, optional, PORT, type ReadFlags, type ServerUsage } from "../_shared/flags.ts";
import type { Brakes } from "./brakes.ts";
import { type Stack, STACKS } from "./counters.ts";

/** The protocols that the origin speaks over TLS, as ALPN names them. */
const PROTOCOLS = ["http/1.1", "h2"] as const;

/** More than a process can have. */
const MAX_CONNECTIONS = 10_000_000;

/** What the origin is told. */
export interface OriginFlags {
  /** What serves. */
  readonly stack: Stack;
  /** The address to listen on. */
  readonly hostname: string;
  /** The first port; 0 for any. */
  readonly port: number;
  /** How many further ports. */
  readonly ports: number;
  /** Whether every port speaks TLS. */
  readonly tls: boolean;
  /** What closes or refuses connections. */
  readonly brakes: Brakes;
  /** How many connections may wait to be accepted at each port; `null` leaves it to the stack. */
  readonly backlog: number | null;
  /** How many threads serve. */
  readonly workers: number;
  /** How many file descriptors it may have, once it listens; `null` for no further limit. */
  readonly descriptors: number | null;
}

const params = {
  stack: choice(STACKS, { default: "deno", help: "Deno.serve, or node:http under Deno" }),
  hostname: HOSTNAME,
  port: PORT,
  ports: integer({
    min: 0,
    max: 10_000,
    default: 0,
    help: "further ports that the system chooses, each with counts of its own",
  }),
  tls: flag({
    default: false,
    help: "every port speaks TLS: lab serve makes a certificate for it; started by itself, it reads " +
      '{"key":…,"certificate":…} from standard input',
  }),
  alpn: choice(PROTOCOLS, {
    default: "http/1.1",
    help: "what is asked for over TLS. Deno.serve always offers both; node here HTTP/1.1 only",
  }),
  headerTimeout: optional(duration({
    default: "3s",
    help: "how long a request's header may take: node's headersTimeout; /stats tells how often it looks",
  })),
  requestTimeout: optional(duration({
    default: "10s",
    help: "how long a whole request may take to come: node's requestTimeout",
  })),
  idleTimeout: optional(duration({
    default: "5s",
    help: "how long a kept connection may be idle: node's keepAliveTimeout, which closes about 1 s later",
  })),
  maxConnections: optional(integer({
    min: 1,
    max: MAX_CONNECTIONS,
    default: 1000,
    help: "connections that each port of each worker takes; further ones are closed at once",
  })),
  backlog: optional(integer({
    min: 1,
    max: 65_535,
    default: 511,
    help: "connections that may wait to be accepted at each port, up to the system's somaxconn",
  })),
  serverWorkers: integer({
    min: 1,
    max: 64,
    default: 1,
    help: "threads that serve; the system spreads connections over them (SO_REUSEPORT)",
  }),
  fds: descriptorsFlag(
    "file descriptors that it may have once it listens, those that it has by then included",
  ),
};

/** The brakes by their flags: only node:http has them. */
const BRAKES = {
  headerTimeout: "header timeout",
  requestTimeout: "request timeout",
  idleTimeout: "idle timeout",
  maxConnections: "limit of connections",
} as const;

/** The origin on the command line. */
export const ORIGIN: ServerUsage<typeof params> = {
  name: "origin",
  about: "Serves a few paths for experiments with connections, and counts what comes.",
  params,
  details: `Paths, for GET, HEAD and POST:

  /conn                   the connection's number, its protocol and the client's port
  /visit?id=N             the same, and keeps a record of it
  /visits                 that record, in order of arrival
  /static?bytes=64        a body of that size
  /compute?difficulty=1   200,000 iterations of a hash for each unit
  /sleep?ms=1000          an answer after that time; /slow is the same
  /stats, /stats?port=N   what all listeners, or one, have counted; the brakes, and the stack's own

Every brake is off unless it is asked for, so that what a server without one bears can be seen. Only
node:http has any. With several workers /conn, /visit and /visits are not there: each worker would count
connections of its own. While something happens, a line a second on standard error tells the counts.`,
};

/**
 * What the flags of the origin come to.
 *
 * @param flags what was written
 * @returns what it is told
 * @throws {MisuseError} one of them needs another
 */
export function resolveFlags({ values, given }: ReadFlags<typeof params>): OriginFlags {
  const { alpn, stack, headerTimeout, requestTimeout, idleTimeout, maxConnections, ...rest } = values;
  const { serverWorkers: workers, fds: descriptors, ...others } = rest;
  if (given.has("alpn") && !rest.tls) throw misuse(ORIGIN, "--alpn needs --tls");
  if (alpn === "h2" && stack === "node") {
    throw misuse(ORIGIN, "--alpn h2 needs --stack deno: node:http2 under Deno aborts as clients leave");
  }
  for (const [brake, name] of Object.entries(BRAKES)) {
    if (stack === "node" || !given.has(brake as keyof typeof BRAKES)) continue;
    throw misuse(ORIGIN, `--${optionName(brake)} needs --stack node: Deno.serve has no ${name}`);
  }
  return {
    ...others,
    stack,
    brakes: {
      headerTimeoutMs: headerTimeout,
      requestTimeoutMs: requestTimeout,
      idleTimeoutMs: idleTimeout,
      maxConnections,
    },
    workers,
    descriptors,
  };
}
