import { connectTcp, encodeRequest } from "../../transport/mod.ts";
import { Visitor } from "../_shared/visitor.ts";
import { WatchedConnection } from "../_shared/watched_connection.ts";
import type { Arm } from "./mode.ts";
import type { Stage } from "./stage.ts";
import { type Limits, type Stats, StatsPoll } from "./stats_poll.ts";
import type { SubjectServer } from "./subject.ts";

/** How many connections a limit is looked for with. */
const TRIES = 3;

/** How long connecting, or an answer, may take at most, in milliseconds. */
const ANSWER_LIMIT_MS = 5000;

const ANSWER_BYTES = 65_536;

/** A time limit that a stack may have. */
interface TimeLimit {
  readonly name: string;
  /** What `node:http` calls it. */
  readonly setting: string;
  readonly key: keyof Limits;
  /** What a connection does that such a limit would end. */
  readonly provoke: (connection: WatchedConnection, visitor: Visitor) => Promise<void>;
}

const encoder = new TextEncoder();

const send = (connection: WatchedConnection, text: string) => connection.writeAll(encoder.encode(text));

const TIME_LIMITS: readonly TimeLimit[] = [
  {
    name: "first byte of a request",
    setting: "headersTimeout",
    key: "headerTimeoutMs",
    provoke: () => Promise.resolve(),
  },
  {
    name: "whole header",
    setting: "headersTimeout",
    key: "headerTimeoutMs",
    provoke: (connection) => send(connection, "GET /static HTTP/1.1\r\nhost: "),
  },
  {
    name: "whole request",
    setting: "requestTimeout",
    key: "requestTimeoutMs",
    provoke: (connection) =>
      send(connection, "POST /static HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\nhalf"),
  },
  {
    name: "next request of a kept connection",
    setting: "keepAliveTimeout",
    key: "idleTimeoutMs",
    provoke: async (connection, visitor) => void await visitor.ask(connection, ANSWER_LIMIT_MS),
  },
  {
    name: "traffic on a socket",
    setting: "timeout",
    key: "socketTimeoutMs",
    provoke: () => Promise.resolve(),
  },
];

/** Connections that are open at once while limits are looked for. */
export const OBSERVED_CONNECTIONS: number = TRIES * TIME_LIMITS.length;

/**
 * Records the time limits that a stack has by itself: those that it exposes, and where it exposes none, for how long
 * connections stay open that such a limit would end.
 *
 * @param stage what the run measures with
 * @param arm a server of the stack that was given no limits
 * @param watchMs how long connections are watched, in milliseconds
 */
export async function recordDefaults(stage: Stage, arm: Arm, watchMs: number): Promise<void> {
  const { context } = stage;
  const { words: stack, servers } = stage.subject(arm);
  const [server] = servers as [SubjectServer, ...SubjectServer[]];
  const said = await ask(server);
  const defaults = typeof said === "string" ? null : said.defaults;
  if (defaults !== null) {
    for (const { name: limit, setting, key } of TIME_LIMITS) {
      const exposedMs = defaults[key] ?? null;
      const none = { heldMs: null, closedMs: null, reason: null };
      context.emit("defaults", {
        ...{ stack, limit, setting, exposedMs, isOff: exposedMs === null, ...none },
      });
    }
    return;
  }
  const reason = typeof said === "string" ? said : said.reasons.defaults ?? null;
  const { signal } = stage;
  const now = () => context.now();
  const visitor = visitorOf(server, now, signal);
  const seen = await Promise.all(
    TIME_LIMITS.map((limit) => observe(visitor, limit, { watchMs, now, signal })),
  );
  for (const [place, { name: limit }] of TIME_LIMITS.entries()) {
    context.emit("defaults", {
      ...{ stack, limit, setting: null, exposedMs: null, isOff: null, ...seen[place]!, reason },
    });
  }
}

function visitorOf(
  { address: hostname, port }: SubjectServer,
  now: () => number,
  signal: AbortSignal,
): Visitor {
  const bytes = encodeRequest({ method: "GET", path: "/static", hostname, port });
  return new Visitor(
    { connect: (signal) => connectTcp({ hostname, port, signal }), request: { method: "GET", bytes } },
    now,
    signal,
  );
}

async function ask({ address, statsPort }: SubjectServer): Promise<Stats | string> {
  if (statsPort === null) return "Only a server of the lab tells its limits";
  using poll = await StatsPoll.open(address, statsPort);
  return await poll.read();
}

/** What was seen of a limit. */
interface Sight {
  readonly heldMs: number | null;
  readonly closedMs: number | null;
}

const UNSEEN: Sight = { heldMs: null, closedMs: null };

/** The shortest of a few connections counts. */
async function observe(visitor: Visitor, { provoke }: TimeLimit, options: ObserveOptions): Promise<Sight> {
  const watchOne = async (): Promise<Sight> => {
    const connection = await visitor.connect(ANSWER_LIMIT_MS);
    if (!(connection instanceof WatchedConnection)) return UNSEEN;
    using _ = connection;
    await provoke(connection, visitor);
    const { watchMs: limitMs, signal, now } = options;
    const { idleMs, closing } = await visitor.idle(connection, { limitMs, signal, sinceMs: now() });
    if (closing === "answer" && !await saysTimeout(connection)) return UNSEEN;
    return { heldMs: idleMs, closedMs: closing === null ? null : idleMs };
  };
  const sights = await Promise.all(Array.from({ length: TRIES }, watchOne));
  return sights.reduce((least, sight) => (sight.heldMs ?? -1) < (least.heldMs ?? -1) ? sight : least);
}

/** Whether what came is a farewell: a server may also answer before it has all of a request. */
async function saysTimeout(connection: WatchedConnection): Promise<boolean> {
  const buffer = new Uint8Array(ANSWER_BYTES);
  const size = await connection.read(buffer) ?? 0;
  return /^HTTP\/1\.\d 408/.test(new TextDecoder().decode(buffer.subarray(0, size)));
}

interface ObserveOptions {
  readonly watchMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}
