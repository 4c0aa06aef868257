import type { LoadPlan, Shard } from "./plan.ts";
import type { SecondReport } from "./report.ts";
import type { TimeCounts } from "./time_histogram.ts";

/** The cells that the threads of a load share with whoever started them; the sent requests of each thread follow. */
export const CELL = { stop: 0, sent: 1 } as const;

/** What a thread is to do. */
export interface ThreadOrder {
  /** What all threads of all shards do together. */
  readonly plan: LoadPlan;
  /** The thread's shard. */
  readonly shard: Shard;
  /** Which thread of it, from 0. */
  readonly thread: number;
  /** The shared cells: see {@linkcode CELL}. */
  readonly cells: SharedArrayBuffer;
  /** Whether each second is told once it is over, as {@linkcode SecondCounts}, while the load goes on. */
  readonly tellsSeconds: boolean;
}

/** A second of a thread's load as it was counted: encoding its times would hold the load up. */
export interface SecondCounts extends Omit<SecondReport, "service" | "response"> {
  /** See {@linkcode SecondReport}. */
  readonly service: TimeCounts;
  /** The same; `null` in a closed loop, where both times are one. */
  readonly response: TimeCounts | null;
}

/** What a thread is asked: to get ready, then to make its load, which it answers with its report. */
export type ThreadQuestion =
  | { readonly ask: "prepare"; readonly order: ThreadOrder }
  /** When the load begins, in milliseconds since 1970. */
  | { readonly ask: "run"; readonly startMs: number };
