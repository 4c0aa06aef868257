/**
 * Load on a server, and connections held at it: what makes them, in threads of this process or in shards, and what
 * came of them, with every request and connection accounted for.
 *
 * @module
 */
export type { CrowdBehaviour, CrowdCounts, CrowdPlan, CrowdRow } from "./crowd_plan.ts";
export type {
  CrowdOptions,
  Generator,
  HeldCrowd,
  LoadOptions,
  LostShard,
  ShardedReport,
} from "./generator.ts";
export { type Latencies, readLatencies, type TimeCount } from "./latencies.ts";
export { localGenerator } from "./local_generator.ts";
export { loadWarnings } from "./load_warnings.ts";
export {
  type Arrivals,
  LOAD_CLIENTS,
  type LoadClient,
  type LoadPlan,
  type LoadTarget,
  shareOf,
} from "./plan.ts";
export { type ShardAddress } from "./shard_link.ts";
export { serveShard } from "./shard_service.ts";
export { shardedGenerator, type ShardedOptions } from "./sharded_generator.ts";
export type { FailureCount, GeneratorReport, LoadReport, RequestRow, SecondReport } from "./report.ts";
