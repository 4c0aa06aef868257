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
  const overflows = countOverflows();
  return () => ({
    listenOverflows: overflows(),
    queued: told(() => acceptQueues(port).reduce((sum, { waiting }) => sum + waiting, 0)),
    serverDescriptors: pid === null ? null : countDescriptors(pid),
  });
}

/**
 * Begins to count the connections that are dropped for a full accept queue, of any listener in the network.
 *
 * @returns a function that tells how many there were since; `null` where the system does not tell
 */
export function countOverflows(): () => number | null {
  const read = () => told(() => listenCounters().overflows);
  const before = read();
  return () => {
    const after = read();
    return before === null || after === null ? null : after - before;
  };
}

/**
 * The file descriptors of a server. It may have started the process that accepts: the one with the most counts.
 *
 * @param pid its process id
 * @returns how many are open; `null` when it has ended, or the system does not tell
 */
export function countDescriptors(pid: number): number | null {
  const count = (one: number) => listKernelFolder(`/proc/${one}/fd`).length;
  return told(() => Math.max(...[pid, ...descendantsOf(pid)].map(count)));
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
