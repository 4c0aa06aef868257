import { failure } from "../../record/mod.ts";
import {
  classify,
  connectTcp,
  connectTls,
  describe,
  type Exchange,
  fetchPhase,
  type Origin,
  Pool,
  PooledClient,
  type PooledExchange,
  systemClock,
} from "../../transport/mod.ts";
import type { Arm } from "./arms.ts";
import type { Observation } from "./defaults.ts";

/** A request as its client shows it: `fetch` does not show its pool. */
export type Made = Exchange | PooledExchange;

/** A client that makes requests at the same time, over connections that it keeps. */
export interface ConcurrentClient extends Disposable {
  /** How many connections it has opened; `null` for `fetch`, which does not tell. */
  readonly opened: number | null;
  /** The limits that it tells. */
  readonly told: Observation["told"];

  /**
   * Makes one request and reads its response to the end.
   *
   * @param path the path with its query
   * @returns how it went; whatever the network does is in there and not thrown
   */
  request(path: string): Promise<Made>;
}

/** What {@linkcode openConcurrent} is told. */
export interface ConcurrentOptions {
  /** Where requests go. */
  readonly origin: Origin;
  /** What the client trusts, over TLS. @default {none: connections are plain} */
  readonly ca?: string | undefined;
  /** How long one request may take, waiting included, in milliseconds. @default {what the client has} */
  readonly timeoutMs?: number;
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * Opens the client of an arm, with its limits.
 *
 * @param arm the client, its protocol and its limits
 * @param options where requests go
 * @returns the client, to be closed by whoever opened it
 */
export function openConcurrent(
  arm: Pick<Arm, "client" | "protocol" | "maxConnections" | "maxIdle">,
  options: ConcurrentOptions,
): ConcurrentClient {
  return arm.client === "raw" ? new RawConcurrent(arm, options) : new FetchConcurrent(arm, options);
}

/** The lab's own pool. */
class RawConcurrent implements ConcurrentClient {
  readonly #origin: Origin;
  readonly #pool: Pool;
  readonly #client: PooledClient;

  constructor(
    { maxConnections, maxIdle }: Pick<Arm, "maxConnections" | "maxIdle">,
    { origin, ca, timeoutMs, now }: ConcurrentOptions,
  ) {
    this.#origin = origin;
    this.#pool = new Pool({
      connect: (hostname, { port }, signal) =>
        ca === undefined
          ? connectTcp({ hostname, port, signal })
          : connectTls({ hostname, port, caCerts: [ca], alpn: ["http/1.1"], signal }),
      ...(maxConnections === null ? {} : { maxPerOrigin: maxConnections }),
      ...(maxIdle === null ? {} : { maxIdlePerOrigin: maxIdle }),
      clock: { ...systemClock, now },
    });
    this.#client = new PooledClient(this.#pool, timeoutMs === undefined ? {} : { timeoutMs });
  }

  get opened(): number {
    return this.#pool.counts.opened;
  }

  get told(): Observation["told"] {
    const { lifetimeMs, idleTimeoutMs, maxPerOrigin, maxIdlePerOrigin } = this.#pool.limits;
    return {
      "lifetime": lifetimeMs,
      "idle timeout": idleTimeoutMs,
      // It has none for connecting alone.
      "connect timeout": this.#client.timeoutMs,
      "connections": maxPerOrigin,
      "idle connections": maxIdlePerOrigin,
    };
  }

  request(path: string): Promise<PooledExchange> {
    return this.#client.request(this.#origin, { path });
  }

  [Symbol.dispose](): void {
    this.#client.close();
    this.#pool.close();
  }
}

/** Deno's own client, whose pool has no limits unless it is told some. */
class FetchConcurrent implements ConcurrentClient {
  readonly opened = null;
  readonly told = {};
  readonly #scheme: "http" | "https";
  readonly #authority: string;
  readonly #client: Deno.HttpClient;
  readonly #timeoutMs: number | undefined;
  readonly #now: () => number;
  readonly #closing = new AbortController();

  constructor(
    { protocol }: Pick<Arm, "protocol">,
    { origin, ca, timeoutMs, now }: ConcurrentOptions,
  ) {
    this.#scheme = ca === undefined ? "http" : "https";
    this.#authority = `${origin.hostname}:${origin.port}`;
    this.#client = Deno.createHttpClient({
      http2: protocol === "h2",
      ...(ca === undefined ? {} : { caCerts: [ca] }),
    });
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  async request(path: string): Promise<Exchange> {
    const startMs = this.#now();
    let headMs: number | null = null;
    let response: Response | null = null;
    let bodyBytes = 0;
    let thrown: unknown = null;
    const limit = this.#timeoutMs === undefined ? null : AbortSignal.timeout(this.#timeoutMs);
    const signal = AbortSignal.any([this.#closing.signal, ...limit ? [limit] : []]);
    try {
      const url = `${this.#scheme}://${this.#authority}${path}`;
      response = await fetch(url, { client: this.#client, redirect: "manual", signal });
      headMs = this.#now();
      for await (const piece of response.body ?? []) bodyBytes += piece.length;
    } catch (error) {
      thrown = error;
    }
    const endMs = this.#now();
    const error = thrown === null ? null : describe(thrown);
    const phase = fetchPhase(error ?? "", this.#scheme, headMs === null ? "wait" : "receive");
    return {
      startMs,
      clientMs: null,
      dnsMs: null,
      connectMs: null,
      tlsMs: null,
      protocol: null,
      sendMs: null,
      waitMs: (headMs ?? endMs) - startMs,
      receiveMs: headMs === null ? null : endMs - headMs,
      elapsedMs: endMs - startMs,
      status: response?.status ?? null,
      bodyBytes,
      localPort: null,
      connection: null,
      serverCloses: null,
      failure: thrown === null
        ? null
        : limit?.aborted
        ? failure(phase, "timed-out")
        : classify(thrown, phase),
      error,
    };
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#client.close();
  }
}
