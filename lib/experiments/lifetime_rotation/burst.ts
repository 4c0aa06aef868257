import type { Lease, Pool } from "../../transport/mod.ts";
import { AcquireError, classify } from "../../transport/mod.ts";
import { untilDue } from "./pace.ts";
import { TICK_MS, watchMs } from "./plan.ts";
import { HOSTNAME, type Stage } from "./stage.ts";

/** The shortest that a timer keeps apart, in real milliseconds. */
const LEAST_TICK_MS = 2;

/**
 * Connections that are opened at once, each to be used for a lifetime, shortened at random by the jitter: when
 * are they opened anew? They are taken from the pool and given back every 20 ms; no request is sent over them,
 * as the time of a reconnect does not depend on it.
 *
 * @param stage what the parts share
 * @param jitter the share by which each lifetime is shortened at most
 * @param port a listener
 */
export async function measureBurst(stage: Stage, jitter: number, port: number): Promise<void> {
  const { context, params } = stage;
  const { connections, lifetime } = params;
  using pool = stage.openPool({
    lifetimeMs: stage.real(lifetime),
    lifetimeJitter: jitter,
    maxPerOrigin: connections,
  });
  const startMs = context.now();
  const endMs = startMs + stage.real(watchMs(params));
  const tickMs = Math.max(LEAST_TICK_MS, stage.real(TICK_MS));
  let [atMs, sinceMs]: [number, number | null] = [0, null];
  for (let dueMs = startMs; dueMs <= endMs && !context.signal.aborted; dueMs = nextDue(dueMs)) {
    await untilDue(dueMs, context);
    const lastMs = atMs;
    atMs = context.now() - startMs;
    sinceMs = dueMs === startMs ? null : atMs - lastMs;
    const leases = await Promise.all(Array.from({ length: connections }, () => take(pool, port)));
    for (const lease of leases) note(lease, dueMs === startMs);
  }

  /** Looks that were missed, as the one before took long, are left out. */
  function nextDue(dueMs: number): number {
    const passed = Math.floor((context.now() - dueMs) / tickMs);
    return dueMs + Math.max(1, passed) * tickMs;
  }

  function note(lease: Lease | AcquireError, first: boolean): void {
    if (lease instanceof AcquireError) {
      const failureKind = classify(lease.cause, "connect").kind;
      context.emit("reconnects", {
        jitter,
        connection: null,
        first,
        atMs,
        sinceMs,
        openMs: null,
        failureKind,
      });
      return;
    }
    const { id: connection, openMs } = lease;
    if (openMs !== null) {
      context.emit("reconnects", { jitter, connection, first, atMs, sinceMs, openMs, failureKind: null });
    }
    lease.release(true);
  }
}

async function take(pool: Pool, port: number): Promise<Lease | AcquireError> {
  try {
    return await pool.acquire({ hostname: HOSTNAME, port });
  } catch (error) {
    if (error instanceof AcquireError) return error;
    throw error;
  }
}
