import { type LoadedExperiment, loadExperiment, type Needs, type ServerSpec } from "../experiments/mod.ts";
import { MisuseError, resolveParams } from "../record/mod.ts";
import type { Plan, RunRequest } from "./protocol.ts";

const DEFAULT_NEEDS: Needs = { net: ["127.0.0.1"], namespace: "none" };
const DEFAULT_DESCRIPTORS = 64;
const SEEDS = 2 ** 32;

/** A run that has been checked and can begin. */
export interface PlannedRun extends LoadedExperiment {
  /** What it would do. */
  readonly plan: Plan;
  /** What the experiment sees of its parameters. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The servers to start. */
  readonly servers: readonly ServerSpec[];
  /** What it may touch. */
  readonly needs: Needs;
}

/**
 * Checks a request and works out what it takes. Nothing is started.
 *
 * @param request what is to be run
 * @param drawSeed draws the seed when none is given
 * @returns the plan
 * @throws {MisuseError} there is no such experiment, or a parameter or the seed is not accepted
 */
export async function planRun(request: RunRequest, drawSeed: () => number): Promise<PlannedRun> {
  const loaded = await loadExperiment(request.experiment);
  const { experiment } = loaded;
  const { values, json } = resolveParams(experiment.params, request.params, { quick: request.quick });
  const seed = request.seed ?? drawSeed();
  if (!Number.isInteger(seed) || seed < 0 || seed >= SEEDS) {
    throw new MisuseError(
      `Cannot use seed as it must be a whole number from 0 to ${SEEDS - 1}: current value is ${seed}`,
    );
  }
  const servers: readonly ServerSpec[] = experiment.servers?.(values) ?? [];
  const needs: Needs = experiment.needs?.(values) ?? DEFAULT_NEEDS;
  const plan: Plan = {
    experiment: experiment.id,
    title: experiment.title,
    params: json,
    seed,
    budgetMs: experiment.budgetMs(values),
    descriptors: experiment.descriptors?.(values) ?? DEFAULT_DESCRIPTORS,
    servers: servers.map(({ name, flags }) => [name, ...flags].join(" ")),
    net: needs.net,
  };
  return { ...loaded, plan, values, servers, needs };
}
