import type { CrowdCounts, CrowdRow } from "./crowd_plan.ts";
import type { HeldCrowd, LostShard } from "./generator.ts";
import type { ShardLink } from "./shard_link.ts";

/** Connections that several processes hold. */
export class ShardedCrowd implements HeldCrowd {
  readonly #name: number;
  readonly #holders: ReadonlyMap<number, ShardLink>;
  readonly #lost: readonly LostShard[];
  #closed: Promise<void> | null = null;

  /**
   * @param name what the shards call it
   * @param holders the shards that hold a part, by their places
   * @param lost those that never did
   */
  constructor(name: number, holders: ReadonlyMap<number, ShardLink>, lost: readonly LostShard[]) {
    this.#name = name;
    this.#holders = holders;
    this.#lost = lost;
  }

  /** Shards that went away, with their connections, in their order. */
  get lost(): readonly LostShard[] {
    const gone = [...this.#holders].flatMap(([index, { lost }]) =>
      lost === null ? [] : [{ index, reason: lost }]
    );
    return [...this.#lost, ...gone].sort((left, right) => left.index - right.index);
  }

  /** How many connections there are now, without those of lost shards. */
  async counts(): Promise<CrowdCounts> {
    return addCounts(await this.#ask("counts") as CrowdCounts[]);
  }

  /** What became of each connection so far, without those of lost shards. */
  async rows(): Promise<readonly CrowdRow[]> {
    return (await this.#ask("rows") as CrowdRow[][]).flat();
  }

  /** What the shards that are left answer. */
  async #ask(ask: "counts" | "rows" | "close"): Promise<unknown[]> {
    const links = [...this.#holders.values()];
    const outcomes = await Promise.allSettled(links.map((link) => link.ask({ ask, name: this.#name })));
    const failed = outcomes.find((outcome, index) =>
      outcome.status === "rejected" && links[index]!.lost === null
    );
    if (failed?.status === "rejected") throw failed.reason;
    const answers = outcomes.flatMap((outcome) => outcome.status === "fulfilled" ? [outcome.value] : []);
    if (answers.length > 0 || ask === "close") return answers;
    throw new Error("Cannot ask crowd as every shard that held a part of it has gone");
  }

  /** Closes the connections. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#closed ??= this.#ask("close").then(() => {});
  }
}

/**
 * Adds up the counts of the parts of a crowd.
 *
 * @param parts the counts of each
 * @returns those of all; what one part does not tell, they do not
 *
 * @example
 * ```ts
 * import { addCounts } from "./sharded_crowd.ts";
 * import { assertEquals } from "@std/assert";
 * const part = { begun: 3, opened: 2, failed: 1, open: 2, closed: 0 };
 * assertEquals(addCounts([part, { ...part, open: null }]), { begun: 6, opened: 4, failed: 2, open: null, closed: 0 });
 * ```
 */
export function addCounts(parts: readonly CrowdCounts[]): CrowdCounts {
  const sum = (numberOf: (part: CrowdCounts) => number) =>
    parts.reduce((total, part) => total + numberOf(part), 0);
  const sumOrNull = (name: "open" | "closed") =>
    parts.some((part) => part[name] === null) ? null : sum((part) => part[name]!);
  return {
    begun: sum(({ begun }) => begun),
    opened: sum(({ opened }) => opened),
    failed: sum(({ failed }) => failed),
    open: sumOrNull("open"),
    closed: sumOrNull("closed"),
  };
}
