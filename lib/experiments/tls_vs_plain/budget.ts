import { TARGET_MARGIN_MS, TARGET_REQUEST_MS } from "../_shared/target_time.ts";
import type { Values } from "./params.ts";
import { stackOf } from "./stack.ts";
import { measuredVariants, partsOf, type Variant } from "./variants.ts";

/** What the servers and the certificate take at most, in milliseconds. */
const START_MS = 10_000;

/** What a request takes at most over loopback, some ten times what it does: on a kept connection, on new ones. */
const REQUEST_MS = { kept: 4, plain: 5, tls: 12 };

/** A new TLS connection to Deno.serve: it waits for two delayed acknowledgements. */
const DELAYED_REQUEST_MS = 100;

/** What a byte of a body adds to it. */
const BYTE_MS = 3e-5;

/** What a round takes at most beside its requests, until its connections are gone, and where the socket table tells. */
const ROUND_MS = { told: 300, table: 2500 };

/**
 * How long a run takes at most.
 *
 * @param params the parameters
 * @returns the time in milliseconds
 */
export function budgetMs(params: Values): number {
  return roundsMs(params) + (params.target === null ? START_MS : TARGET_MARGIN_MS);
}

/**
 * How long the rounds of a run take at most.
 *
 * @param params the parameters
 * @returns the time in milliseconds
 */
export function roundsMs(params: Values): number {
  const roundMs = measuredVariants(params).reduce(
    (total, variant) => total + params.requests * requestMs(variant, params) + countMs(variant, params),
    0,
  );
  return (params.rounds + 1) * roundMs;
}

function requestMs(variant: Variant, params: Values): number {
  if (params.target !== null) return TARGET_REQUEST_MS;
  const { transport, mode } = partsOf(variant);
  const bodyMs = params.bodyBytes * BYTE_MS;
  if (mode === "shared") return REQUEST_MS.kept + bodyMs;
  const delayed = transport === "tls" && stackOf(params) === "deno";
  return (delayed ? DELAYED_REQUEST_MS : REQUEST_MS[transport]) + bodyMs;
}

function countMs(variant: Variant, params: Values): number {
  const byTable = partsOf(variant).client === "fetch" &&
    (params.target !== null || stackOf(params) === "deno");
  return byTable ? ROUND_MS.table : ROUND_MS.told;
}
