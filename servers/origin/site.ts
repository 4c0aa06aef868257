import { pause } from "../../lib/system/mod.ts";
import { compute } from "./compute.ts";
import { BoundedList } from "../_shared/bounded_list.ts";
import { Counters, type Counts, type Sight, type Stack, total } from "./counters.ts";

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

/** What the origin answers, whatever stack carries it, and what its listeners have counted. */
export class Site {
  readonly #stack: Stack;
  readonly #tls: boolean;
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
      parameter: null,
      answer: (_, visit) => this.#describe(visit),
    },
    "/visit": {
      parameter: { name: "id", min: 0, max: Number.MAX_SAFE_INTEGER, default: null },
      answer: (id, visit) => this.#record(id, visit),
    },
    "/visits": {
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
   * @param stack what carries it
   * @param tls whether over TLS
   */
  constructor(stack: Stack, tls: boolean) {
    this.#stack = stack;
    this.#tls = tls;
  }

  /** What its listeners get to know: `Deno.serve` has no events of connections. */
  get sees(): Sight {
    return { connections: this.#stack === "node", handshakes: this.#stack === "node" && this.#tls };
  }

  /** Has `/stats` give what the listener at a port counts. */
  watch(port: number, counters: Counters): void {
    this.#listeners.set(port, counters);
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
    const value = readNumber(path, query, route.parameter);
    return typeof value === "string" ? refusal(400, value) : route.answer(value, visit);
  }

  #bodyOf(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes > this.#body.length) this.#body = new Uint8Array(bytes).fill("x".charCodeAt(0));
    return this.#body.subarray(0, bytes);
  }

  #stats(port: number | null): Answer {
    const counts: Counts | undefined = port === null
      ? total([...this.#listeners.values()])
      : this.#listeners.get(port);
    if (counts === undefined) {
      return refusal(400, `Cannot give counts of port ${port} as this server is not there`);
    }
    const { requests, accepted, active, inFlight, clientPorts, handshakes, protocols } = counts;
    const { rss: rssBytes, heapUsed: heapUsedBytes } = Deno.memoryUsage();
    const { connections } = this.sees;
    const unseen = "Deno.serve has no connection events";
    return json({
      stack: this.#stack,
      port,
      requests,
      accepted,
      active,
      inFlight,
      clientPorts,
      handshakes,
      protocols,
      memory: { rssBytes, heapUsedBytes },
      reasons: {
        ...(connections ? {} : { accepted: unseen, active: unseen }),
        ...(handshakes ? {} : { handshakes: this.#tls ? unseen : "Its connections are plain" }),
      },
    });
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
