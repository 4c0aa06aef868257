/** What {@linkcode predictedFailedShare} reckons with. */
export interface ShortageOptions {
  /** Ports of the client's range. */
  readonly ports: number;
  /** How long a port is not free after its connection was closed, in milliseconds: TIME_WAIT. */
  readonly timeWaitMs: number;
  /** New connections that are tried in a second, to one address and port, each closed at once. */
  readonly ratePerSecond: number;
  /** How long they are tried, in milliseconds. */
  readonly durationMs: number;
}

/**
 * The share of connects that find no port, when each connection is closed at once by the side that opened it. Until
 * the ports are used up each succeeds; then none does until the first one leaves TIME_WAIT, and ports come back at the
 * rate at which they were taken: what happens in one TIME_WAIT happens in each.
 *
 * Source: RFC 9293 §3.6.1 (TIME-WAIT); a connection is known by both addresses and both ports, so that each port of the
 * range is good for one connection to a destination.
 *
 * @param options ports, TIME_WAIT, rate and duration
 * @returns the share of the connects in that time, 0 to 1
 *
 * @example
 * ```ts
 * import { predictedFailedShare } from "./predicted_failed_share.ts";
 * import { assertEquals } from "@std/assert";
 * const base = { ports: 1000, timeWaitMs: 60_000, ratePerSecond: 500 };
 * assertEquals(predictedFailedShare({ ...base, durationMs: 2000 }), 0);
 * assertEquals(predictedFailedShare({ ...base, durationMs: 4000 }), 0.5);
 * // Within the second minute the ports come back once.
 * assertEquals(predictedFailedShare({ ...base, durationMs: 100_000 }), 0.96);
 * ```
 */
export function predictedFailedShare(
  { ports, timeWaitMs, ratePerSecond, durationMs }: ShortageOptions,
): number {
  const tried = ratePerSecond * durationMs / 1000;
  const triedInTimeWait = ratePerSecond * timeWaitMs / 1000;
  if (tried <= ports || triedInTimeWait <= ports) return 0;
  const turns = Math.floor(durationMs / timeWaitMs);
  const succeeded = turns * ports + Math.min(ports, tried - turns * triedInTimeWait);
  return 1 - succeeded / tried;
}
