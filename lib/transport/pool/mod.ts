/**
 * A pool of client connections: lifetime, idle limits, a limit to how many there are with a queue before it,
 * and a client that makes its requests over it. Time, random numbers, resolver and connections are handed in.
 *
 * @module
 */
export { AcquireError, type AcquirePhase, type AcquireTimes } from "./acquire_error.ts";
export { type Clock, systemClock } from "./clock.ts";
export type {
  AcquireOptions,
  Lease,
  Origin,
  PoolCounts,
  PoolLimits,
  PoolOptions,
  Retirement,
} from "./options.ts";
export { Pool } from "./pool.ts";
export { PooledClient, type PooledClientOptions, type PooledRequestOptions } from "./pooled_client.ts";
export type { FailedAttempt, PooledExchange } from "./pooled_exchange.ts";
