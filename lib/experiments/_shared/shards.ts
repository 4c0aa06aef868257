import { type Generator, localGenerator, type LostShard, shardedGenerator } from "../../load/mod.ts";
import { MisuseError } from "../../record/mod.ts";
import type { MeasureContext, ServerHandle, ServerHandles, ServerSpec } from "../contract.ts";

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
 * The processes that a client is split over. Where it is one without a limit of its own, that is the measuring process:
 * with a limit it is not, as whoever is out of descriptors cannot look at the system. Their end does not fail a run,
 * which keeps what the others did.
 *
 * @param options how many, and what each holds
 * @returns the programs
 */
export function shardSpecs({ shards, connections, net, fds = 0 }: ShardOptions): ServerSpec[] {
  if (shards === 1 && fds === 0) return [];
  const descriptors = descriptorsOfEach({ shards, connections });
  return Array.from({ length: shards }, (_, index) => ({
    name: "shard",
    as: shardName(index),
    flags: fds > 0 ? ["--fds", `${fds}`] : [],
    net: ["127.0.0.1", ...net],
    libc: true,
    threads: true,
    mayEnd: true,
    // A limit of its own is there to be met.
    descriptors: fds > 0 ? Math.min(fds, descriptors) : descriptors,
  }));
}

/** Processes that a processor starts in about ten seconds, beside others. */
const PROCESSES_EACH = 32;

/**
 * Refuses more processes than the machine can start in reasonable time.
 *
 * @param shards processes that the client is split over
 * @param processes all that are to be started: shards, and servers that grow in number with them
 * @param processors what the machine has. @default {those of this one}
 * @throws {MisuseError} there are too many: the message names the most shards that go
 */
export function requireFewProcesses(
  shards: number,
  processes: number,
  processors: number = navigator.hardwareConcurrency,
): void {
  const most = PROCESSES_EACH * processors;
  if (shards === 1 || processes <= most) return;
  const fewer = Math.max(1, Math.floor(most * shards / processes));
  throw new MisuseError(
    `Cannot split the client over ${shards} shards as that makes ${processes} processes, servers included, and ` +
      `${most} are what ${processors} processors start in time: give --shards ${fewer} or fewer`,
  );
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
  const handles = shardHandles(shards, servers);
  return handles.length === 0 ? localGenerator() : await shardedGenerator(handles, { signal });
}

/**
 * The processes that a client is split over, as they were started.
 *
 * @param shards how many there are
 * @param servers the servers of the run
 * @returns none where the measuring process is the client
 */
export function shardHandles(shards: number, servers: ServerHandles): ServerHandle[] {
  return Array.from({ length: shards }, (_, index) => servers[shardName(index)] ?? [])
    .flat();
}

function shardName(index: number): string {
  return `shard-${index + 1}`;
}

/**
 * Tells of processes of the client that were lost: what the others did stands.
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
    message: `Processes of the client that were lost: ${lost.length} (${reasons}). Their part is missing`,
    remedy: "Look at the machine's memory and limits, and measure again",
  });
}
