import { type Generator, localGenerator, type LostShard, shardedGenerator } from "../../load/mod.ts";
import type { MeasureContext, ServerSpec } from "../contract.ts";

/** Descriptors of a process of the client beside those of its connections. */
const SPARE_DESCRIPTORS = 64;

/** What {@linkcode shardSpecs} is told. */
export interface ShardOptions {
  /** Processes that the client is split over. */
  readonly shards: number;
  /** Connections of all together. */
  readonly connections: number;
  /** Where they go, as `--allow-net` takes it. */
  readonly net: readonly string[];
  /** File descriptors that each may have; 0 for the limit of the machine. @default {0} */
  readonly fds?: number;
}

/**
 * The processes that a client is split over, where there are several: one is the measuring process itself. Their end
 * does not fail a run, which keeps what the others did.
 *
 * @param options how many, and what each holds
 * @returns the programs
 */
export function shardSpecs({ shards, connections, net, fds = 0 }: ShardOptions): ServerSpec[] {
  if (shards === 1) return [];
  return Array.from({ length: shards }, (_, index) => ({
    name: "shard",
    as: shardName(index),
    flags: fds > 0 ? ["--fds", `${fds}`] : [],
    net: ["127.0.0.1", ...net],
    libc: true,
    threads: true,
    mayEnd: true,
    descriptors: descriptorsOfEach({ shards, connections }),
  }));
}

/**
 * The descriptors that each process of a client needs.
 *
 * @param options how many share the connections
 * @returns the count
 */
export function descriptorsOfEach(
  { shards, connections }: Pick<ShardOptions, "shards" | "connections">,
): number {
  return Math.ceil(connections / shards) + SPARE_DESCRIPTORS;
}

/**
 * What makes the load of a run: this process, or the processes that {@linkcode shardSpecs} named.
 *
 * @param shards how many there are
 * @param context the servers of the run
 * @returns the generator, to be disposed of
 */
export async function openGenerator(
  shards: number,
  { servers, signal }: Pick<MeasureContext, "servers" | "signal">,
): Promise<Generator> {
  if (shards === 1) return localGenerator();
  return await shardedGenerator(
    Array.from({ length: shards }, (_, index) => servers[shardName(index)]!),
    { signal },
  );
}

/**
 * The key of a process of the client among the servers of the run.
 *
 * @param index which, from 0
 * @returns the key
 */
export function shardName(index: number): string {
  return `shard-${index + 1}`;
}

/**
 * Tells of processes of the client that died: what the others did stands.
 *
 * @param load what came of the load, or the connections
 * @param context where warnings go
 */
export function warnOfLost(
  { lost }: { readonly lost: readonly LostShard[] },
  { warn }: Pick<MeasureContext, "warn">,
): void {
  if (lost.length === 0) return;
  const reasons = lost.map(({ index, reason }) => `${index}: ${reason}`).join("; ");
  warn({
    code: "lost-shards",
    message: `Of the client's processes ${lost.length} died (${reasons}): their part is missing`,
    remedy: "Look at the machine's memory and limits, and measure again",
  });
}
