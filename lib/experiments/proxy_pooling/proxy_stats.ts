import type { Failure } from "../../record/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { HOSTNAME } from "./chains.ts";
import type { Tables } from "./tables.ts";

/** How often something happened: as the request was written, or as the answer was read. */
interface BySign {
  readonly write: number;
  readonly read: number;
}

/** What a proxy tells of itself, as far as it is used here. */
export interface ProxyStats {
  /** Requests that came. */
  readonly requests: number;
  /** Answers that were passed on. */
  readonly passed: number;
  /** Connections to backends that were opened. */
  readonly opened: number;
  /** Connections to backends that could not be opened. */
  readonly failedToOpen: number;
  /** Times that a connection was used again. */
  readonly reused: number;
  /** Kept connections that turned out to be dead. */
  readonly stale: BySign;
  /** Requests that were sent once more for it. */
  readonly retried: BySign;
  /** Requests that failed, by phase, kind and side. */
  readonly failed: readonly (Failure & { readonly count: number })[];
}

/** How long a proxy has for telling its counts, in milliseconds. */
const LIMIT_MS = 5000;

/**
 * Asks a proxy for its counts. The calling thread must be in its network.
 *
 * @param port where it listens
 * @returns what it tells
 * @throws {Error} it does not answer
 */
export async function readProxy(port: number): Promise<ProxyStats> {
  // No connection is kept: the next one is in another network.
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const response = await fetch(`http://${HOSTNAME}:${port}/__stats`, {
    client,
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  if (!response.ok) throw new Error(`The proxy refused to tell its counts: ${await response.text()}`);
  return await response.json();
}

/** What a proxy has counted of stale connections. */
export interface StaleCells {
  /** See the table of proxies. */
  readonly staleWrites: number;
  /** See the table of proxies. */
  readonly staleReads: number;
  /** See the table of proxies. */
  readonly retriedWrites: number;
  /** See the table of proxies. */
  readonly retriedReads: number;
}

/**
 * The counts of stale connections as cells of a row.
 *
 * @param stats what the proxy tells
 * @returns the cells
 */
export function staleCells({ stale, retried }: Pick<ProxyStats, "stale" | "retried">): StaleCells {
  return {
    staleWrites: stale.write,
    staleReads: stale.read,
    retriedWrites: retried.write,
    retriedReads: retried.read,
  };
}

/**
 * Records what a proxy has counted.
 *
 * @param variant whose proxy it is
 * @param stats what it tells
 * @param context where rows go
 */
export function emitProxy(
  variant: string,
  stats: ProxyStats,
  { emit }: Pick<MeasureContext<Tables>, "emit">,
): void {
  const { requests, passed, opened, failedToOpen, reused, failed } = stats;
  emit("proxies", { variant, requests, passed, opened, failedToOpen, reused, ...staleCells(stats) });
  for (const { phase, kind, side, count } of failed) {
    emit("failures", {
      ...{ variant, seenBy: "proxy", failurePhase: phase, failureKind: kind, failureSide: side, count },
    });
  }
}
