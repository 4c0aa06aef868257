/** What closes a connection, or refuses it, without its client's doing; `null` for what is off. */
export interface Brakes {
  /** How long a request's header may take. */
  readonly headerTimeoutMs: number | null;
  /** How long a whole request may take to come; its answer may take longer. */
  readonly requestTimeoutMs: number | null;
  /** How long a kept connection may be idle. */
  readonly idleTimeoutMs: number | null;
  /** How many connections each port of each worker takes. */
  readonly maxConnections: number | null;
}

/** The brakes and how a stack looks after them; `null` for what is off. */
export interface Limits extends Brakes {
  /** How often it looks for headers and requests that took too long: how late it may find them. */
  readonly checkingIntervalMs: number | null;
}

/** The limits that a stack comes with, when nobody has set any; `null` for what is off. */
export interface Defaults extends Limits {
  /** How long a connection may be silent, whatever it waits for. */
  readonly socketTimeoutMs: number | null;
}

/** A tenth of the shortest timeout is late enough to be cheap and early enough to tell the timeout by. */
const CHECKS_PER_TIMEOUT = 10;

/** The bounds of the interval, in milliseconds. */
const INTERVAL = { min: 10, max: 1000 } as const;

/**
 * How often a server is to look for headers and requests that took too long. Node's own 30 s would let one with a
 * timeout of 3 s live ten times as long.
 *
 * @param brakes what is configured
 * @returns the interval, in milliseconds; `null` where there is nothing to look for
 *
 * @example
 * ```ts
 * import { checkingIntervalMs } from "./brakes.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(checkingIntervalMs({ headerTimeoutMs: 3000, requestTimeoutMs: null }), 300);
 * ```
 */
export function checkingIntervalMs(
  { headerTimeoutMs, requestTimeoutMs }: Pick<Brakes, "headerTimeoutMs" | "requestTimeoutMs">,
): number | null {
  const shortest = Math.min(headerTimeoutMs ?? Infinity, requestTimeoutMs ?? Infinity);
  if (shortest === Infinity) return null;
  return Math.min(Math.max(Math.round(shortest / CHECKS_PER_TIMEOUT), INTERVAL.min), INTERVAL.max);
}
