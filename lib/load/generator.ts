import type { CrowdCounts, CrowdPlan, CrowdRow } from "./crowd_plan.ts";
import type { LoadPlan, LoadTarget } from "./plan.ts";
import type { LoadReport, SecondReport } from "./report.ts";

/** A shard that went away before it had done its part. */
export interface LostShard {
  /** Which, from 0. */
  readonly index: number;
  /** What is known of why, a clause without a capital. */
  readonly reason: string;
}

/** What came of a load that several shards made: what lost ones did is not in it. */
export interface ShardedReport extends LoadReport {
  /** Shards that went away, in their order. */
  readonly lost: readonly LostShard[];
}

/** Options of {@linkcode Generator.load}. */
export interface LoadOptions {
  /** Ends the load before its time: the report tells what there was until then. */
  readonly signal: AbortSignal;
  /** Hears now and then how far it is: milliseconds since it began, and requests sent. @default {nobody hears} */
  readonly onProgress?: (elapsedMs: number, sent: number) => void;
  /**
   * Hears of seconds that are over while the load goes on, in their order from 0 on, each as the report will have it:
   * what is kept of them outlives a load that is killed. Of the last seconds only the report tells, and of all where
   * shards make the load: those of one that is lost later must not count. @default {nobody hears}
   */
  readonly onSecond?: (second: SecondReport) => void;
}

/** Options of {@linkcode Generator.crowd}. */
export interface CrowdOptions {
  /** Gives up opening: every connection is closed, and the promise rejects with its reason. */
  readonly signal: AbortSignal;
  /** Hears now and then, while connections are opened, how many there are. @default {nobody hears} */
  readonly onProgress?: (counts: CrowdCounts) => void;
}

/** Connections that are held open. Disposing of it closes them. */
export interface HeldCrowd extends AsyncDisposable {
  /** Shards that went away, with their connections, in their order. */
  readonly lost: readonly LostShard[];

  /**
   * How many connections there are now, without those of lost shards.
   *
   * @returns the counts
   * @throws {Error} nobody is left who holds any
   */
  counts(): Promise<CrowdCounts>;

  /**
   * What became of each connection so far, without those of lost shards.
   *
   * @returns a row for each that was begun, by shard and connection
   * @throws {Error} nobody is left who holds any
   */
  rows(): Promise<readonly CrowdRow[]>;
}

/** Something that makes load and holds connections: threads of this process, or other processes. */
export interface Generator extends AsyncDisposable {
  /**
   * Makes a load.
   *
   * @param plan what load
   * @param targets where its connections go, in turn
   * @param options what ends it, who hears of it
   * @returns what came of it
   * @throws {Error} nobody is left who could make it
   */
  load(plan: LoadPlan, targets: readonly LoadTarget[], options: LoadOptions): Promise<ShardedReport>;

  /**
   * Opens connections and holds them.
   *
   * @param plan how many, and what they do
   * @param targets where they go, in turn
   * @param options what gives it up, who hears of it
   * @returns the connections, once each of them is open or has failed
   * @throws {TypeError} the client cannot do what the plan asks
   * @throws {Error} nobody is left who could hold them
   * @throws the reason of the signal
   */
  crowd(plan: CrowdPlan, targets: readonly LoadTarget[], options: CrowdOptions): Promise<HeldCrowd>;
}
