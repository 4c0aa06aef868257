import { busyShare, type ProcessorTimes, readProcessorTimes } from "../../system/mod.ts";
import type { Reading } from "./watch.ts";

/** What had been used of the processors at some moment. What the system does not tell is `null`. */
export interface ProcessorUse {
  /** The moment, in milliseconds. */
  readonly atMs: number;
  /** Processor time of all servers, in milliseconds. */
  readonly serverMs: number | null;
  /** Processor time of all processes of the client, in milliseconds. */
  readonly clientMs: number | null;
  /** What each processor of the machine had done. */
  readonly machine: readonly ProcessorTimes[] | null;
}

/** Whose the processors of the machine were between two moments. */
export interface ProcessorShares {
  /** The share of all of them that was not free. */
  readonly machineBusyShare: number | null;
  /** How many of them were free. */
  readonly freeCpuShare: number | null;
  /** How many of them neither client nor servers had, and were not free. */
  readonly otherCpuShare: number | null;
}

/**
 * What has been used of the processors.
 *
 * @param readings a look at every server of an arm
 * @param atMs when that was, in milliseconds
 * @returns the use
 */
export function processorUse(readings: readonly Reading[], atMs: number): ProcessorUse {
  const serverMs = readings.reduce<number | null>(
    (sum, { cpuMs }) => sum === null || cpuMs === null ? null : sum + cpuMs,
    0,
  );
  return { atMs, serverMs, clientMs: readings[0]?.clientCpuMs ?? null, machine: processors() };
}

/**
 * Whose the processors were.
 *
 * @param before the use at the first moment
 * @param after the use at the second one
 * @returns their shares
 *
 * @example
 * ```ts
 * import { processorShares } from "./processor_use.ts";
 * import { assertEquals } from "@std/assert";
 * const processor = (busyMs: number, idleMs: number) => ({ busyMs, idleMs, stolenMs: 0 });
 * assertEquals(
 *   processorShares(
 *     { atMs: 0, serverMs: 0, clientMs: 0, machine: [processor(0, 0), processor(0, 0)] },
 *     { atMs: 100, serverMs: 90, clientMs: 10, machine: [processor(95, 5), processor(30, 70)] },
 *   ),
 *   { machineBusyShare: 0.625, freeCpuShare: 0.75, otherCpuShare: 0.25 },
 * );
 * ```
 */
export function processorShares(before: ProcessorUse, after: ProcessorUse): ProcessorShares {
  const none = { machineBusyShare: null, freeCpuShare: null, otherCpuShare: null };
  const passedMs = after.atMs - before.atMs;
  if (before.machine === null || after.machine === null || passedMs <= 0) return none;
  const machineBusyShare = busyShare(before.machine, after.machine);
  if (machineBusyShare === null) return none;
  const processors = after.machine.length;
  const [server, client] = [usedMs(before.serverMs, after.serverMs), usedMs(before.clientMs, after.clientMs)];
  return {
    machineBusyShare,
    freeCpuShare: (1 - machineBusyShare) * processors,
    otherCpuShare: server === null || client === null
      ? null
      : Math.max(0, machineBusyShare * processors - (server + client) / passedMs),
  };
}

/**
 * The processors that servers had during a load, of the time that it lasted: they have nothing to do before and after.
 *
 * @param before the use before it
 * @param after the use after it
 * @param elapsedMs how long it lasted, in milliseconds
 * @returns how many; `null` where a server does not tell
 */
export function serverShare(before: ProcessorUse, after: ProcessorUse, elapsedMs: number): number | null {
  const used = usedMs(before.serverMs, after.serverMs);
  return used === null || elapsedMs <= 0 ? null : used / elapsedMs;
}

function usedMs(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before;
}

/** What each processor of the machine has done; `null` where the system does not tell. */
function processors(): readonly ProcessorTimes[] | null {
  try {
    return readProcessorTimes();
  } catch (error) {
    if (error instanceof Deno.errors.NotSupported || error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
