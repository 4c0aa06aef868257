import {
  type Connection,
  connectTcp,
  openClient,
  Pool,
  PooledClient,
  type PooledExchange,
  systemClock,
} from "../../transport/mod.ts";
import type { Asked, PeerEnd } from "./cell.ts";
import type { Arm } from "./grid.ts";

/** Where a pair of requests goes. */
export interface Target {
  /** The address. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
}

/** What an {@linkcode Asker} is told. */
export interface AskerOptions {
  /** How long an answer is waited for, in milliseconds. */
  readonly timeoutMs: number;
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** A client that keeps one connection and makes the requests of one pair. */
export interface Asker extends Disposable {
  /**
   * Makes one request.
   *
   * @param path the path with its query
   * @returns how it went; whatever the network does is in there and not thrown
   */
  ask(path: string): Promise<Asked>;
  /** How the peer has ended the connection, as far as the client has seen by now. */
  noticed(): PeerEnd;
}

/** A connection that tells how its peer ended it. */
export class ObservedConnection implements Connection {
  readonly localPort: number;
  readonly connectMs: number;
  readonly tlsMs: number | null;
  readonly protocol: string | null;
  readonly #inner: Connection;
  #peerEnd: "fin" | "reset" | "none" = "none";
  #closed = false;

  /**
   * @param inner the connection
   */
  constructor(inner: Connection) {
    this.#inner = inner;
    this.localPort = inner.localPort;
    this.connectMs = inner.connectMs;
    this.tlsMs = inner.tlsMs;
    this.protocol = inner.protocol;
  }

  /** How the peer has ended it, as far as a read or write has shown by now. */
  get peerEnd(): "fin" | "reset" | "none" {
    return this.#peerEnd;
  }

  async read(into: Uint8Array): Promise<number | null> {
    const size = await this.#watch(() => this.#inner.read(into));
    if (size === null) this.#ends("fin");
    return size;
  }

  writeAll(bytes: Uint8Array): Promise<void> {
    return this.#watch(() => this.#inner.writeAll(bytes));
  }

  close(): void {
    this.#closed = true;
    this.#inner.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // What fails as this side has closed tells nothing of the other.
      if (!this.#closed) this.#ends("reset");
      throw error;
    }
  }

  #ends(how: "fin" | "reset"): void {
    if (this.#peerEnd === "none") this.#peerEnd = how;
  }
}

/** A pool of one connection, which it watches while it is idle, as pools do. */
class PooledAsker implements Asker {
  readonly #arm: Arm;
  readonly #target: Target;
  readonly #pool: Pool;
  readonly #client: PooledClient;
  #connection: ObservedConnection | null = null;

  constructor(arm: Arm, target: Target, { timeoutMs, now }: AskerOptions) {
    this.#arm = arm;
    this.#target = target;
    this.#pool = new Pool({
      connect: async (address, { port }, signal) => {
        const connection = new ObservedConnection(await connectTcp({ hostname: address, port, signal }));
        this.#connection ??= connection;
        return connection;
      },
      idleTimeoutMs: arm.clientIdleMs,
      clock: { ...systemClock, now },
    });
    const retryStale = arm.client === "raw/retry" ? "idempotent" : "never";
    this.#client = new PooledClient(this.#pool, { timeoutMs, retryStale });
  }

  async ask(path: string): Promise<Asked> {
    const exchange = await this.#client.request(this.#target, { method: this.#arm.method, path });
    return { exchange, attempts: exchange.attempts, ...firstAttempt(exchange) };
  }

  noticed(): PeerEnd {
    return this.#connection?.peerEnd ?? "none";
  }

  [Symbol.dispose](): void {
    this.#client.close();
    this.#pool.close();
  }
}

/** The connection that a request was sent on first. */
function firstAttempt(
  { failedAttempts: [failed], idleMs, ageMs }: PooledExchange,
): Pick<Asked, "reused" | "ageMs"> {
  if (failed !== undefined) return { reused: true, ageMs: failed.ageMs };
  return idleMs === null ? { reused: false, ageMs: null } : { reused: true, ageMs };
}

/** Deno's own client: how often it sends a request, and over what, it does not tell. */
function fetchAsker({ method, clientIdleMs }: Arm, target: Target, options: AskerOptions): Asker {
  const client = openClient("fetch/shared", target, { ...options, idleTimeoutMs: clientIdleMs });
  return {
    async ask(path) {
      return { exchange: await client.request({ method, path }), attempts: null, reused: null, ageMs: null };
    },
    noticed: () => null,
    [Symbol.dispose]: () => client.close(),
  };
}

/**
 * Makes the client of one pair.
 *
 * @param arm which client, with what idle timeout and method
 * @param target where its requests go
 * @param options limit in time, clock
 * @returns the client
 */
export function openAsker(arm: Arm, target: Target, options: AskerOptions): Asker {
  return arm.client === "fetch" ? fetchAsker(arm, target, options) : new PooledAsker(arm, target, options);
}
