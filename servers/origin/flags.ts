import { choice, duration, flag, integer } from "../../lib/record/mod.ts";
import { HOSTNAME, misuse, optional, PORT, type ReadFlags, type ServerUsage } from "../_shared/flags.ts";
import { type Stack, STACKS } from "./counters.ts";

/** The protocols that the origin speaks over TLS, as ALPN names them. */
const PROTOCOLS = ["http/1.1", "h2"] as const;

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
  /** How long a kept connection may be idle, in milliseconds; `null` without a limit. */
  readonly idleTimeoutMs: number | null;
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
    help: 'every port speaks TLS; {"key":…,"certificate":…} comes on standard input',
  }),
  alpn: choice(PROTOCOLS, {
    default: "http/1.1",
    help: "what is asked for over TLS. Deno.serve always offers both; node here HTTP/1.1 only",
  }),
  idleTimeout: optional(duration({
    default: "5s",
    help: "how long a kept connection may be idle: node's keepAliveTimeout, which closes about 1 s later",
  })),
};

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
  /stats, /stats?port=N   what all listeners, or one, have counted`,
};

/**
 * What the flags of the origin come to.
 *
 * @param flags what was written
 * @returns what it is told
 * @throws {MisuseError} one of them needs another
 */
export function resolveFlags({ values, given }: ReadFlags<typeof params>): OriginFlags {
  const { alpn, idleTimeout: idleTimeoutMs, ...rest } = values;
  if (given.has("alpn") && !rest.tls) throw misuse(ORIGIN, "--alpn needs --tls");
  if (alpn === "h2" && rest.stack === "node") {
    throw misuse(ORIGIN, "--alpn h2 needs --stack deno: node:http2 under Deno aborts as clients leave");
  }
  if (idleTimeoutMs !== null && rest.stack !== "node") {
    throw misuse(ORIGIN, "--idle-timeout needs --stack node: Deno.serve has no idle timeout");
  }
  return { ...rest, idleTimeoutMs };
}
