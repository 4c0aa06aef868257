import type { RequestOptions } from "../client.ts";
import { type Answer, type EncodedRequest, exchange } from "../exchange.ts";
import { encodeRequest, type Method, type RequestHead } from "../http1_request.ts";
import { AcquireError } from "./acquire_error.ts";
import type { Flight } from "./_flight.ts";
import { Flights } from "./_flights.ts";
import type { Lease, Origin } from "./options.ts";
import type { Pool } from "./pool.ts";
import { failedAttempt, madeOver, madeWithout, type PooledExchange } from "./pooled_exchange.ts";

/** Options of {@linkcode PooledClient}. */
export interface PooledClientOptions {
  /** How long one request may take, the wait for a connection included, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /**
   * What happens when a kept connection fails before a byte of the response came: nothing, or the request is
   * sent once more over a fresh connection if its method is idempotent (`GET`, `HEAD`, never `POST`).
   *
   * Source: RFC 9110 §9.2.2.
   *
   * @default {"never"}
   */
  readonly retryStale?: "never" | "idempotent";
}

/** Options of {@linkcode PooledClient.request}. */
export interface PooledRequestOptions extends RequestOptions {
  /** Gives up the request, which rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** What may be sent twice unasked, as the second time changes nothing more: RFC 9110 §9.2.2. */
const IDEMPOTENT: ReadonlySet<Method> = new Set(["GET", "HEAD"]);

/**
 * Makes requests over a pool, as many at a time as the pool has connections for. Several clients may share one
 * pool; whoever made the pool closes it.
 *
 * @example
 * ```ts ignore
 * using pool = new Pool({
 *   connect: (address, { port }, signal) => connectTcp({ hostname: address, port, signal }),
 *   maxPerOrigin: 2,
 * });
 * using client = new PooledClient(pool, { timeoutMs: 5000, retryStale: "idempotent" });
 * const origin = { hostname: "127.0.0.1", port: 8080 };
 * const made = await Promise.all(["/a", "/b", "/c"].map((path) => client.request(origin, { path })));
 * made.map(({ status, reused, queuedMs, attempts }) => ({ status, reused, queuedMs, attempts }));
 * ```
 */
export class PooledClient implements Disposable {
  /** How long one request may take, the wait for a connection included, in milliseconds. */
  readonly timeoutMs: number;
  readonly #pool: Pool;
  readonly #flights: Flights;
  readonly #retries: boolean;
  #last: (EncodedRequest & RequestHead) | null = null;
  #closed = false;

  /**
   * Makes a client.
   *
   * @param pool where its connections come from
   * @param options limit in time, and whether it repeats a request
   * @throws {RangeError} the time limit is out of range
   */
  constructor(pool: Pool, options: PooledClientOptions = {}) {
    const { timeoutMs = 30_000, retryStale = "never" } = options;
    if (!(timeoutMs > 0)) {
      throw new RangeError(`Cannot make client as timeoutMs must be > 0: current value is ${timeoutMs}`);
    }
    this.timeoutMs = timeoutMs;
    this.#pool = pool;
    this.#flights = new Flights(pool.clock, timeoutMs);
    this.#retries = retryStale === "idempotent";
  }

  /**
   * Makes one request and reads its response to the end.
   *
   * @param origin where it goes
   * @param options what is asked
   * @returns how it went; whatever the network does is in there and not thrown
   * @throws {TypeError} the client or its pool is closed, or the path cannot be sent
   * @throws the reason of the signal
   */
  async request(origin: Origin, options: PooledRequestOptions = {}): Promise<PooledExchange> {
    if (this.#closed) throw closedError();
    const { method = "GET", path = "/", signal } = options;
    signal?.throwIfAborted();
    const request = this.#encode(origin, method, path);
    const flight = this.#flights.begin(signal);
    try {
      const made = await this.#fly(origin, request, flight);
      // That nobody waits for the response any more is no failure of the network.
      if (flight.ended !== null && flight.ended !== "timeout") throw flight.ended.reason;
      return made;
    } finally {
      this.#flights.finish(flight);
    }
  }

  /** Ends the requests under way, which reject. The pool stays open. Closing once more does nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#flights.endAll(closedError());
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    this.close();
  }

  async #fly(origin: Origin, request: EncodedRequest, flight: Flight): Promise<PooledExchange> {
    let lease: Lease | null = null;
    try {
      for (;;) {
        lease = await (lease === null ? this.#pool.acquire(origin, flight) : lease.replace(flight));
        flight.use(lease);
        const answer = await exchange(lease.connection, request, flight.tools);
        if (!this.#mayRepeat(request, lease, answer, flight)) {
          return madeOver(flight, lease, answer, flight.release(lease, answer.reusable));
        }
        flight.failedAttempts = [...flight.failedAttempts, failedAttempt(lease, answer)];
      }
    } catch (error) {
      if (!(error instanceof AcquireError)) throw error;
      return madeWithout(flight, error, this.#pool.clock.now() - flight.startMs);
    }
  }

  /** A kept connection that fails before a byte came had most likely ended while it was idle: RFC 9112 §9.5. */
  #mayRepeat(request: EncodedRequest, lease: Lease, answer: Answer, flight: Flight): boolean {
    return this.#retries && answer.failure !== null && answer.receiveMs === null && lease.idleMs !== null &&
      IDEMPOTENT.has(request.method) && flight.ended === null;
  }

  /** The bytes of a request, made once while it stays the same. */
  #encode({ hostname, port }: Origin, method: Method, path: string): EncodedRequest {
    const last = this.#last;
    if (last?.path === path && last.method === method && last.port === port && last.hostname === hostname) {
      return last;
    }
    const head = { method, path, hostname, port };
    return this.#last = { ...head, bytes: encodeRequest(head) };
  }
}

function closedError(): TypeError {
  return new TypeError("Cannot send request as the client is closed");
}
