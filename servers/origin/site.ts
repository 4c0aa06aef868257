import { pause } from "../../lib/system/mod.ts";
import { compute } from "./compute.ts";
import { BoundedList } from "../_shared/bounded_list.ts";
import { Counters, type Sight, total } from "./counters.ts";
import { LoopDelay } from "./loop_delay.ts";
import { type Facts, sightOf, statsOf, type ThreadReport } from "./stats.ts";

/** How many visits are remembered: the newest. */
const MAX_VISITS = 100_000;

/** The largest body that `/static` gives, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A request, as every stack hands it over. */
export interface Visit {
  /** The method. */
  readonly method: string;
  /** The path with its query. */
  readonly target: string;
  /** The protocol that it came over, as ALPN names it. */
  readonly protocol: string;
  /** The client's port. */
  readonly clientPort: number;
  /** The connection's place among those of its listener, from 1. */
  readonly connection: number;
  /** Aborts when the client leaves. A stack makes it when it is first asked for. */
  readonly signal: AbortSignal;
}

/** A response, as every stack gives it. */
export interface Answer {
  /** The status code. */
  readonly status: number;
  /** The body's media type. */
  readonly type: string;
  /** The body. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The methods that may be used, where another was. */
  readonly allow?: string;
}

/** The one number that a path takes in its query. */
interface NumberParameter {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** What counts when it is not given; `null` when that is a case of its own. */
  readonly default: number | null;
}

/** A request to `/visit`, as `/visits` gives it. */
interface RecordedVisit extends Pick<Visit, "method" | "connection" | "clientPort"> {
  /** What its query named it. */
  readonly id: number;
  /** When it came, in milliseconds since the server began. */
  readonly atMs: number;
}

/** A path: what it takes and what it gives. */
interface Route {
  /** Whether it speaks of the order of connections, of which each thread knows its own alone. */
  readonly ordersConnections?: boolean;
  readonly parameter: NumberParameter | null;
  answer(value: number | null, visit: Visit): Answer | Promise<Answer>;
}

const METHODS = "GET, HEAD, POST";
const encoder = new TextEncoder();

function json(value: unknown, status = 200): Answer {
  return { status, type: "application/json", body: encoder.encode(`${JSON.stringify(value)}\n`) };
}

function refusal(status: number, message: string): Answer {
  return { status, type: "text/plain; charset=utf-8", body: encoder.encode(`${message}\n`) };
}

/** What a site is made with. */
export interface SiteOptions {
  /** What does not change while it serves. */
  readonly facts: Facts;
  /** Asks the other threads that serve it, and this one, what they have counted. @default {this is the only one} */
  readonly gather?: () => Promise<readonly ThreadReport[]>;
}

/**
 * What the origin answers, whatever stack carries it, and what its listeners have counted. Each thread that serves
 * has a site of its own.
 */
export class Site {
  /** What its listeners get to know. */
  readonly sees: Sight;
  readonly #facts: Facts;
  readonly #gather: (() => Promise<readonly ThreadReport[]>) | null;
  readonly #loopDelay = LoopDelay.watch();
  readonly #visits = new BoundedList<RecordedVisit>(MAX_VISITS);
  readonly #listeners = new Map<number, Counters>();
  /** A body as large as the largest that was asked for: smaller ones are its beginning. */
  #body = new Uint8Array(0);

  readonly #sleeping: Route = {
    parameter: { name: "ms", min: 0, max: 3_600_000, default: 1000 },
    answer: async (ms, visit) => {
      await pause(ms!, visit.signal);
      return json({ sleptMs: ms });
    },
  };

  readonly #routes: Readonly<Record<string, Route>> = {
    "/conn": {
      ordersConnections: true,
      parameter: null,
      answer: (_, visit) => this.#describe(visit),
    },
    "/visit": {
      ordersConnections: true,
      parameter: { name: "id", min: 0, max: Number.MAX_SAFE_INTEGER, default: null },
      answer: (id, visit) => this.#record(id, visit),
    },
    "/visits": {
      ordersConnections: true,
      parameter: null,
      answer: () => json(this.#visits.items),
    },
    "/static": {
      parameter: { name: "bytes", min: 0, max: MAX_BODY_BYTES, default: 64 },
      answer: (bytes) => ({ status: 200, type: "application/octet-stream", body: this.#bodyOf(bytes!) }),
    },
    "/compute": {
      parameter: { name: "difficulty", min: 1, max: 10_000, default: 1 },
      answer: (difficulty) => json({ difficulty, ...compute(difficulty!) }),
    },
    "/sleep": this.#sleeping,
    "/slow": this.#sleeping,
    "/stats": {
      parameter: { name: "port", min: 1, max: 65_535, default: null },
      answer: (port) => this.#stats(port),
    },
  };

  /**
   * @param options what does not change, and how to ask other threads
   */
  constructor({ facts, gather }: SiteOptions) {
    this.#facts = facts;
    this.#gather = gather ?? null;
    this.sees = sightOf(facts);
  }

  /** Has `/stats` give what the listener at a port counts. */
  watch(port: number, counters: Counters): void {
    this.#listeners.set(port, counters);
  }

  /** What this thread has counted, and how it fares. */
  report(): ThreadReport {
    return {
      listeners: [...this.#listeners].map(([port, counters]) => [port, total([counters])]),
      eventLoopDelayMs: this.#loopDelay.largestMs(performance.now()),
      heapUsedBytes: Deno.memoryUsage().heapUsed,
    };
  }

  /**
   * Answers a request, and counts it.
   *
   * @param visit the request
   * @param counters those of the listener that it came to
   * @returns the response
   */
  async answer(visit: Visit, counters: Counters): Promise<Answer> {
    counters.take(visit.protocol);
    counters.inFlight++;
    try {
      return await this.#route(visit);
    } finally {
      counters.inFlight--;
    }
  }

  get #tellsBy(): string {
    return this.sees.connections ? "connection event" : "client port";
  }

  #describe({ connection, clientPort, protocol }: Visit): Answer {
    return json({ connection, by: this.#tellsBy, clientPort, protocol });
  }

  #record(id: number | null, visit: Visit): Answer {
    if (id === null) return refusal(400, "Cannot answer /visit as it needs id in its query");
    const { method, connection, clientPort } = visit;
    this.#visits.add({ id, method, connection, clientPort, atMs: performance.now() });
    return this.#describe(visit);
  }

  #route(visit: Visit): Answer | Promise<Answer> {
    const { method, target } = visit;
    const [path, query] = split(target);
    const route = Object.hasOwn(this.#routes, path) ? this.#routes[path] : undefined;
    if (route === undefined) {
      return refusal(404, `There is no ${path}: the paths are ${Object.keys(this.#routes).join(", ")}`);
    }
    if (!["GET", "HEAD", "POST"].includes(method)) {
      return { ...refusal(405, `Cannot ${method} ${path}: the methods are ${METHODS}`), allow: METHODS };
    }
    if (route.ordersConnections && this.#gather !== null) {
      return refusal(400, `Cannot answer ${path} as each of several workers counts connections of its own`);
    }
    const value = readNumber(path, query, route.parameter);
    return typeof value === "string" ? refusal(400, value) : route.answer(value, visit);
  }

  #bodyOf(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes > this.#body.length) this.#body = new Uint8Array(bytes).fill("x".charCodeAt(0));
    return this.#body.subarray(0, bytes);
  }

  async #stats(port: number | null): Promise<Answer> {
    const reports = this.#gather === null ? [this.report()] : await this.#gather();
    const stats = statsOf(reports, { facts: this.#facts, port, rssBytes: Deno.memoryUsage().rss });
    if (stats !== null) return json(stats);
    return refusal(400, `Cannot give counts of port ${port} as this server is not there`);
  }
}

/** A request target's path and query. */
function split(target: string): [path: string, query: string] {
  const mark = target.indexOf("?");
  return mark < 0 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** Reads the number that a query gives. @returns the number, or a message that says what is wrong */
function readNumber(path: string, query: string, parameter: NumberParameter | null): number | null | string {
  let value = parameter?.default ?? null;
  for (const [name, text] of new URLSearchParams(query)) {
    if (parameter === null || name !== parameter.name) {
      const takes = parameter === null ? "nothing" : parameter.name;
      return `Cannot answer ${path} as it takes ${takes} in its query: current name is ${name}`;
    }
    const { min, max } = parameter;
    value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) {
      return `Cannot answer ${path} as ${name} must be a whole number from ${min} to ${max}: current value is ${text}`;
    }
  }
  return value;
}
