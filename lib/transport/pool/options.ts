import type { Connection } from "../connection.ts";
import type { Clock } from "./clock.ts";

/** Where requests go: a name or address, and a port. Connections are kept and counted for each. */
export interface Origin {
  /** The name or address, an IPv6 one without brackets. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
}

/** What a pool is told. A limit that is left out is none, as is one of `Infinity`. */
export interface PoolOptions {
  /**
   * Opens a connection to the address behind an origin. How long it may take is its own affair: whoever asked
   * for the connection may leave before it stands.
   *
   * @param address what the resolver gave for the origin's name
   * @param origin where it goes, as requests name it
   * @param signal gives up connecting, as the pool is closed
   */
  readonly connect: (address: string, origin: Origin, signal: AbortSignal) => Promise<Connection>;
  /** Finds the address behind a name, once for every connection that is opened. @default {the name itself} */
  readonly resolve?: (hostname: string) => Promise<string>;
  /**
   * How long a connection may be used after it was opened, in milliseconds. One that is older when it comes
   * back, or is idle, is closed; a request under way is never cut.
   */
  readonly lifetimeMs?: number;
  /**
   * The share of its lifetime, 0 to 1, by which each connection's is shortened at random, so that connections
   * that were opened together do not end together. Drawn once, when it is opened. @default {0}
   */
  readonly lifetimeJitter?: number;
  /** How long a connection may be idle, in milliseconds. */
  readonly idleTimeoutMs?: number;
  /** How many idle connections are kept for one origin. One more that comes back is closed. */
  readonly maxIdlePerOrigin?: number;
  /** How many connections there are to one origin at once, opening ones too. Who wants more waits in order. */
  readonly maxPerOrigin?: number;
  /** How many may wait for a connection to one origin. One more is refused at once. */
  readonly maxWaiting?: number;
  /**
   * Whether idle connections are watched, so that one that the peer ends is closed at once. A pool that does
   * not watch finds out when it sends the next request. @default {true}
   */
  readonly watchIdle?: boolean;
  /** Random numbers in [0, 1), for the jitter. @default {Math.random} */
  readonly random?: () => number;
  /** Time. @default {systemClock} */
  readonly clock?: Clock;
}

/** The limits of a pool that are in effect, as {@linkcode PoolOptions} names them; `Infinity` is none. */
export type PoolLimits = Required<
  Pick<
    PoolOptions,
    "lifetimeMs" | "lifetimeJitter" | "idleTimeoutMs" | "maxIdlePerOrigin" | "maxPerOrigin" | "maxWaiting"
  >
>;

/**
 * Why a connection left a pool: it grew too old, was idle too long, came back to enough idle ones, was ended
 * by its peer while idle, cannot carry another request, or the pool was closed.
 */
export type Retirement =
  | "lifetime"
  | "idle-timeout"
  | "idle-limit"
  | "peer-closed"
  | "not-reusable"
  | "pool-closed";

/**
 * What a pool has done so far. At any moment `opened` is the sum of `busy`, `idle` and every number of
 * `retired`.
 */
export interface PoolCounts {
  /** Times that the resolver was asked. */
  readonly resolutions: number;
  /** Connections that were opened. */
  readonly opened: number;
  /** Connections that could not be opened. */
  readonly failedToOpen: number;
  /** Times that a connection which had carried a request was lent again. */
  readonly reused: number;
  /** Connections that left, by reason. */
  readonly retired: Readonly<Record<Retirement, number>>;
  /** Connections that are lent now. */
  readonly busy: number;
  /** Connections that are idle now. */
  readonly idle: number;
  /** Requests that wait for their turn now. */
  readonly waiting: number;
}

/** Options of {@linkcode Pool.acquire}. */
export interface AcquireOptions {
  /** Gives up waiting. It has no effect on a connection that was lent. */
  readonly signal?: AbortSignal | undefined;
}

/** A connection that is lent to one request. Whoever holds it gives it back, in any case. */
export interface Lease extends Disposable {
  /** The connection. */
  readonly connection: Connection;
  /** Its place among those that the pool opened, from 1. */
  readonly id: number;
  /** The address that it goes to. */
  readonly address: string;
  /** Whether it carried a request before. */
  readonly reused: boolean;
  /** How long ago it was opened, in milliseconds. */
  readonly ageMs: number;
  /** How long it was idle before it was lent, in milliseconds; `null` when it was opened for this request. */
  readonly idleMs: number | null;
  /** How long the request waited for its turn, opening not included, in milliseconds. */
  readonly queuedMs: number;
  /** How long resolving took, in milliseconds; `null` without a resolver, or when it was not opened for this. */
  readonly dnsMs: number | null;
  /** How long resolving and opening took, in milliseconds; `null` when it was not opened for this request. */
  readonly openMs: number | null;

  /**
   * Gives it back. Doing so once more does nothing; disposing of it gives it back as not reusable.
   *
   * @param reusable whether it may carry another request
   * @returns when it came back, on the pool's clock
   */
  release(reusable: boolean): number;

  /**
   * Gives it back as not reusable, and takes in its place a connection that nobody has used: what a request
   * does whose kept connection turns out to be dead. It keeps its turn, and others' idle connections, which may
   * be dead as well, are left out.
   *
   * @param options what gives up waiting
   * @returns the fresh connection
   * @throws {TypeError} it was given back already, or the pool is closed
   * @throws {AcquireError} none could be had
   */
  replace(options?: AcquireOptions): Promise<Lease>;
}
