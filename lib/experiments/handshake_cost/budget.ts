import { TARGET_MARGIN_MS, TARGET_REQUEST_MS } from "../_shared/target_time.ts";
import type { Values } from "./params.ts";
import { variantsOf } from "./variants.ts";

/** What a request takes at most over loopback, in milliseconds: a hundred times what it does. */
const REQUEST_MS = 10;

/** What a round takes at most beside its requests, until its connections are gone, in milliseconds. */
const ROUND_MS = 2500;

/** The longest that a system keeps a socket in TIME_WAIT, in milliseconds. */
const LONGEST_TIME_WAIT_MS = 120_000;

/** How much longer than the platform's time TIME_WAIT is watched, in milliseconds. */
export const WATCH_MARGIN_MS = 30_000;

/**
 * How long a run takes at most.
 *
 * @param params the parameters
 * @returns the time in milliseconds
 */
export function budgetMs(params: Values): number {
  const { target, watchTimeWait } = params;
  return roundsMs(params) + (target === null ? 0 : TARGET_MARGIN_MS) +
    (watchTimeWait ? LONGEST_TIME_WAIT_MS + WATCH_MARGIN_MS : 0);
}

/**
 * How long the rounds of a run take at most.
 *
 * @param params the parameters
 * @returns the time in milliseconds
 */
export function roundsMs({ client, requests, rounds, target }: Values): number {
  const requestMs = target === null ? REQUEST_MS : TARGET_REQUEST_MS;
  return (rounds + 1) * variantsOf(client).length * (requests * requestMs + ROUND_MS);
}
