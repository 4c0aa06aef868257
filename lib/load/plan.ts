import type { Method } from "../transport/mod.ts";

/** What makes the load: `epoll` (sockets through the C library), `raw` (`Deno.connect`), `fetch` as a subject. */
export const LOAD_CLIENTS = ["epoll", "raw", "fetch"] as const;

/** One of {@linkcode LOAD_CLIENTS}. */
export type LoadClient = (typeof LOAD_CLIENTS)[number];

/** Where requests go. */
export interface LoadTarget {
  /** The address that is connected to, an IPv6 one without brackets. */
  readonly address: string;
  /** The port. */
  readonly port: number;
  /** The name or address for the `Host` field, an IPv6 address without brackets. */
  readonly hostname: string;
  /** The path with its query. */
  readonly path: string;
}

/**
 * When requests begin: as soon as a connection is free (closed loop), or at times of their own, however the server
 * does (open loop).
 */
export type Arrivals =
  | { readonly loop: "closed" }
  | {
    readonly loop: "open";
    /** Requests that are to begin in a second, over all shards. */
    readonly ratePerSecond: number;
    /** The same time between any two, or times of a Poisson process. */
    readonly spacing: "constant" | "poisson";
  };

/** What load is made, by all shards together. Plain data: it goes to other threads and processes. */
export interface LoadPlan {
  /** What makes it. */
  readonly client: LoadClient;
  /** The method. */
  readonly method: Method;
  /** Connections at once, at most: in a closed loop as many requests are on their way. */
  readonly connections: number;
  /** When requests begin. */
  readonly arrivals: Arrivals;
  /** How long requests begin, in milliseconds. */
  readonly durationMs: number;
  /** Requests that begin, at most; `null` without a bound. */
  readonly requests: number | null;
  /** How long a request may take, from its actual start, in milliseconds; `null` without a limit. */
  readonly timeoutMs: number | null;
  /** Threads of each shard. */
  readonly threads: number;
  /** Whether each request's row is kept. */
  readonly keepRows: boolean;
  /** The seed of a Poisson process. */
  readonly seed: number;
}

/** One of several processes that make a load together: with the plan, this is all that one is told. */
export interface Shard {
  /** Which, from 0. */
  readonly index: number;
  /** How many there are. */
  readonly count: number;
  /** When all begin, in milliseconds since 1970 on the clock of the machine; 0 for as soon as it can. */
  readonly startMs: number;
  /** Where its connections go, in turn. */
  readonly targets: readonly LoadTarget[];
}

/**
 * The part of a whole number that falls to one of several, so that the parts differ by one at most and add up.
 *
 * @param total what is split, >= 0
 * @param index whose part, from 0
 * @param count how many parts
 * @returns the part
 *
 * @example
 * ```ts
 * import { shareOf } from "./plan.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals([0, 1, 2].map((index) => shareOf(8, index, 3)), [3, 3, 2]);
 * ```
 */
export function shareOf(total: number, index: number, count: number): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}

/**
 * Where the part that {@linkcode shareOf} gives begins.
 *
 * @param total what is split, >= 0
 * @param index whose part, from 0
 * @param count how many parts
 * @returns the sum of the parts before
 */
export function firstOf(total: number, index: number, count: number): number {
  return Math.floor(total / count) * index + Math.min(index, total % count);
}
