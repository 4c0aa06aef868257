/**
 * connlab, a notebook laboratory for network connections: what a notebook, or an experiment of one's
 * own, may import. Nothing else is public.
 *
 * @example
 * ```ts ignore
 * import { lab, show } from "connlab";
 * const run = await lab.run("handshake-cost", { requests: 500 });
 * await show(run);
 * await show(run.figure("elapsed"));
 * ```
 *
 * @module
 */
export {
  defineExperiment,
  type Experiment,
  type ExperimentDefinition,
  type MeasureContext,
  type Needs,
  type ServerHandle,
  type ServerSpec,
  type TableSchemas,
} from "./experiments/mod.ts";
export * from "./figures/mod.ts";
export * from "./notebook/mod.ts";
export * from "./record/mod.ts";
export * from "./stats/mod.ts";
