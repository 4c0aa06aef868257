import { AskedWorker } from "../asked_worker.ts";
import type { CrowdCounts, CrowdPlan, CrowdRow } from "../crowd_plan.ts";
import type { CrowdOptions, HeldCrowd } from "../generator.ts";
import type { Shard } from "../plan.ts";
import { unlessAborted } from "../unless_aborted.ts";
import { checkCrowdPlan } from "./check_crowd_plan.ts";
import type { CrowdQuestion } from "./thread_protocol.ts";

/**
 * Opens the connections of one shard and holds them, in a thread of its own.
 *
 * @param plan what all shards open together
 * @param shard which part this one does
 * @param options what gives it up, who hears of it
 * @returns the connections, once each is open or has failed
 * @throws {TypeError} the client cannot do what the plan asks
 * @throws {RangeError} a number of the plan is out of range
 * @throws {Error} the thread failed
 * @throws the reason of the signal
 */
export async function crowdShard(plan: CrowdPlan, shard: Shard, options: CrowdOptions): Promise<HeldCrowd> {
  checkCrowdPlan(plan);
  const { signal, onProgress = () => {} } = options;
  signal.throwIfAborted();
  const crowd = new ThreadCrowd();
  try {
    await unlessAborted(signal, crowd.open(plan, shard, onProgress));
    return crowd;
  } catch (error) {
    await crowd[Symbol.asyncDispose]();
    throw error;
  }
}

/** The connections that a thread holds. */
class ThreadCrowd implements HeldCrowd {
  readonly lost = [];
  readonly #thread = new AskedWorker<CrowdQuestion>(new URL("./thread_main.ts", import.meta.url));
  #closed: Promise<void> | null = null;

  async open(plan: CrowdPlan, shard: Shard, onProgress: (counts: CrowdCounts) => void): Promise<void> {
    await this.#thread.ask({ ask: "open", plan, shard }, (progress) => onProgress(progress as CrowdCounts));
  }

  async counts(): Promise<CrowdCounts> {
    return await this.#thread.ask({ ask: "counts" }) as CrowdCounts;
  }

  async rows(): Promise<readonly CrowdRow[]> {
    return await this.#thread.ask({ ask: "rows" }) as readonly CrowdRow[];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    using thread = this.#thread;
    try {
      // A descriptor belongs to the process, and would outlive the thread.
      await thread.ask({ ask: "close" });
    } catch {
      // The thread failed, and whoever waited for it has heard of it.
    }
  }
}
