import type { CrowdPlan } from "../crowd_plan.ts";
import type { Shard } from "../plan.ts";

/**
 * What a crowd's thread is asked: first to open its connections, which it answers once each is open or has failed, and
 * of which the counts are its progress; then for their counts and rows, any number of times; last to close them.
 */
export type CrowdQuestion =
  | { readonly ask: "open"; readonly plan: CrowdPlan; readonly shard: Shard }
  | { readonly ask: "counts" | "rows" | "close" };
