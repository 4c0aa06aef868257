import type { RowOf } from "../../record/mod.ts";
import { acceptQueues, descendantsOf, listenCounters, listKernelFolder } from "../../system/mod.ts";
import type { Tables } from "./tables.ts";

/** What is to give out in an arm of `client-wall`. */
export const WALLS = ["client ports", "server descriptors", "client descriptors", "accept queue"] as const;

/** One of {@linkcode WALLS}. */
export type Wall = (typeof WALLS)[number];

/** What an arm runs against. */
export interface WallLimits {
  /** Size of the private port range. */
  readonly ports: number;
  /** File descriptors that the client may have; `null` for the limit of the machine. */
  readonly clientFds: number | null;
  /** File descriptors that the server may have; `null` for the limit of the machine. */
  readonly serverFds: number | null;
}

/** Whom the kernel is asked about. */
export interface Listener {
  /** The port that it listens on. */
  readonly port: number;
  /** Its process id; `null` where it is not known. */
  readonly pid: number | null;
}

/** What the kernel says of a wall: everything that is in none of its two programs. */
export type WallCells = Pick<
  RowOf<Tables["walls"]>,
  "listenOverflows" | "queued" | "serverDescriptors"
>;

/**
 * Begins to look at a listener from outside. The calling thread must be in its network.
 *
 * @param listener whom
 * @returns a function that tells what the kernel has counted since
 */
export function lookAtListener({ port, pid }: Listener): () => WallCells {
  const before = told(() => listenCounters().overflows);
  return () => {
    const after = told(() => listenCounters().overflows);
    return {
      listenOverflows: before === null || after === null ? null : after - before,
      queued: told(() => acceptQueues(port).reduce((sum, { waiting }) => sum + waiting, 0)),
      serverDescriptors: pid === null ? null : told(() => mostDescriptors(pid)),
    };
  };
}

/** A server may have started the process that accepts. */
function mostDescriptors(pid: number): number {
  return Math.max(...[pid, ...descendantsOf(pid)].map((one) => listKernelFolder(`/proc/${one}/fd`).length));
}

/** What another system does not tell, or nobody any more of a process that has ended. */
function told(read: () => number): number | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotSupported || error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
