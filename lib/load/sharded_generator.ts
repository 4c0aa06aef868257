import { checkAccounts } from "./check_accounts.ts";
import { checkLoadPlan } from "./check_load_plan.ts";
import { checkCrowdPlan } from "./crowd/check_crowd_plan.ts";
import type { CrowdCounts, CrowdPlan } from "./crowd_plan.ts";
import type {
  CrowdOptions,
  Generator,
  HeldCrowd,
  LoadOptions,
  LostShard,
  ShardedReport,
} from "./generator.ts";
import { mergeReports } from "./merge_reports.ts";
import type { LoadPlan, LoadTarget, Shard } from "./plan.ts";
import type { LoadReport } from "./report.ts";
import { type ShardAddress, ShardLink } from "./shard_link.ts";
import type { LoadProgress, ShardQuestion } from "./shard_protocol.ts";
import { addCounts, ShardedCrowd } from "./sharded_crowd.ts";

/** How long shards have to make everything ready, in milliseconds, so that all begin together. */
const READY_MS = 500;

/** Options of {@linkcode shardedGenerator}. */
export interface ShardedOptions {
  /** Gives up connecting to the shards. */
  readonly signal: AbortSignal;
}

/**
 * Makes load in several processes that run `servers/shard.ts`: each of them does its part, and what they did is put
 * together. One that goes away is told of, and the parts of the others are kept.
 *
 * Needs `--allow-net` of the shards.
 *
 * @param shards where they listen, at least one
 * @param options what gives it up
 * @returns the generator; disposing of it ends what the shards do for it, not the shards
 * @throws {RangeError} there is no shard
 * @throws {Error} none of them can be reached
 * @throws the reason of the signal
 */
export async function shardedGenerator(
  shards: readonly ShardAddress[],
  { signal }: ShardedOptions,
): Promise<Generator> {
  if (shards.length === 0) throw new RangeError("Cannot make load in shards as there is none");
  const links = await Promise.all(shards.map((shard) => ShardLink.connect(shard, { signal })));
  const generator = new ShardedGenerator(links);
  try {
    signal.throwIfAborted();
    if (links.every(({ lost }) => lost !== null)) throw nobodyLeft("make load", links[0]!.lost!);
    return generator;
  } catch (error) {
    await generator[Symbol.asyncDispose]();
    throw error;
  }
}

/** What the shards answered, by their places, and those that did not. */
interface Outcome {
  readonly answers: readonly (readonly [index: number, answer: unknown])[];
  readonly lost: readonly LostShard[];
}

/** What all shards do together. */
interface Common {
  readonly targets: readonly LoadTarget[];
  readonly signal: AbortSignal;
  readonly onProgress: (latest: readonly unknown[]) => void;
}

class ShardedGenerator implements Generator {
  readonly #links: readonly ShardLink[];
  #names = 0;

  constructor(links: readonly ShardLink[]) {
    this.#links = links;
  }

  async load(plan: LoadPlan, targets: readonly LoadTarget[], options: LoadOptions): Promise<ShardedReport> {
    checkLoadPlan(plan, targets);
    const { signal, onProgress = () => {} } = options;
    const name = ++this.#names;
    const { answers, lost } = await this.#together(name, (shard) => ({ ask: "load", name, plan, shard }), {
      targets,
      signal,
      onProgress(latest) {
        const parts = latest as readonly LoadProgress[];
        const elapsedMs = Math.max(...parts.map(({ elapsedMs }) => elapsedMs));
        onProgress(elapsedMs, parts.reduce((total, { sent }) => total + sent, 0));
      },
    });
    if (answers.length === 0) throw nobodyLeft("make load", lost[0]!.reason);
    const report = mergeReports(answers.map(([, part]) => part as LoadReport));
    checkAccounts(report);
    return { ...report, lost };
  }

  async crowd(plan: CrowdPlan, targets: readonly LoadTarget[], options: CrowdOptions): Promise<HeldCrowd> {
    checkCrowdPlan(plan);
    const { signal, onProgress = () => {} } = options;
    signal.throwIfAborted();
    const name = ++this.#names;
    const { answers, lost } = await this.#together(name, (shard) => ({ ask: "crowd", name, plan, shard }), {
      targets,
      signal,
      onProgress: (latest) => onProgress(addCounts(latest as readonly CrowdCounts[])),
    });
    const holders = new Map(answers.map(([index]) => [index, this.#links[index]!]));
    const crowd = new ShardedCrowd(name, holders, lost);
    if (holders.size > 0 && !signal.aborted) return crowd;
    await crowd[Symbol.asyncDispose]();
    signal.throwIfAborted();
    throw nobodyLeft("hold connections", lost[0]!.reason);
  }

  /**
   * Has every shard do its part. When the signal aborts, they are told, and still heard to the end. What one refuses
   * though it is there is no loss, but what would be thrown if there were no shards.
   */
  async #together(
    name: number,
    questionOf: (shard: Shard) => ShardQuestion,
    { targets, signal, onProgress }: Common,
  ): Promise<Outcome> {
    const startMs = Date.now() + READY_MS;
    const latest = new Map<number, unknown>();
    const answers: [number, unknown][] = [];
    const lost: LostShard[] = [];
    const refused: unknown[] = [];
    const one = async (link: ShardLink, index: number) => {
      const question = questionOf({ index, count: this.#links.length, startMs, targets });
      try {
        const answer = await link.ask(question, (progress) => {
          latest.set(index, progress);
          onProgress([...latest.values()]);
        });
        answers.push([index, answer]);
      } catch (error) {
        if (link.lost === null) refused.push(error);
        else lost.push({ index, reason: link.lost });
      }
    };
    const stop = () => {
      for (const link of this.#links) link.ask({ ask: "stop", name }).catch(() => {/* it has gone */});
    };
    const all = this.#links.map(one);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    await Promise.all(all);
    signal.removeEventListener("abort", stop);
    if (refused.length > 0) {
      await Promise.allSettled(this.#links.map((link) => link.ask({ ask: "close", name })));
      signal.throwIfAborted();
      throw refused[0];
    }
    return {
      answers: answers.sort(([left], [right]) => left - right),
      lost: lost.sort((left, right) => left.index - right.index),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#links.map((link) => link[Symbol.asyncDispose]()));
  }
}

function nobodyLeft(action: string, reason: string): Error {
  return new Error(`Cannot ${action} in shards as none of them can: ${reason}`);
}
