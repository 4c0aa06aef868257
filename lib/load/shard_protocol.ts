import type { CrowdPlan } from "./crowd_plan.ts";
import type { LoadPlan, Shard } from "./plan.ts";

/**
 * What a shard process is asked over its control connection, a line of JSON each; it answers by the numbers of the
 * questions, as threads do. What is begun has a name, by which later questions speak of it. When the control
 * connection ends, everything that was begun over it ends.
 */
export type ShardQuestion =
  /** Makes a part of a load; the answer is its report, the progress a {@linkcode LoadProgress}. */
  | { readonly ask: "load"; readonly name: number; readonly plan: LoadPlan; readonly shard: Shard }
  /** Opens a part of a crowd, and holds it; the answer comes when it is open, the progress is its counts. */
  | { readonly ask: "crowd"; readonly name: number; readonly plan: CrowdPlan; readonly shard: Shard }
  /** Ends a load before its time, or gives up opening a crowd. */
  | { readonly ask: "stop"; readonly name: number }
  /** Asks for a crowd's counts or rows, or closes it. */
  | { readonly ask: "counts" | "rows" | "close"; readonly name: number };

/**
 * How often a shard says that it is there, in milliseconds, whatever it does: its threads do the work, and their
 * process has time to.
 */
export const BEAT_MS = 1000;

/** How far a load is. */
export interface LoadProgress {
  /** Milliseconds since it began. */
  readonly elapsedMs: number;
  /** Requests sent. */
  readonly sent: number;
}
