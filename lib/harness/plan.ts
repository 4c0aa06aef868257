import {
  type Experiment,
  type LoadedExperiment,
  loadExperiment,
  type Needs,
  type ServerSpec,
} from "../experiments/mod.ts";
import { closest, MisuseError, optionName, resolveParams } from "../record/mod.ts";
import { serverNames } from "./layout.ts";
import type { Plan, RunRequest } from "./protocol.ts";

const DEFAULT_NEEDS: Needs = { net: ["127.0.0.1"], namespace: "none" };
const NAMESPACES: ReadonlySet<Needs["namespace"]> = new Set(["none", "own", "link"]);
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
  /** Connections to one address and port, at most; `null` when the experiment does not say. */
  readonly connections: number | null;
}

/**
 * Checks a request and works out what it takes. Nothing is started.
 *
 * @param request what is to be run
 * @param drawSeed draws the seed when none is given
 * @returns the plan
 * @throws {MisuseError} there is no such experiment, a parameter or the seed is not accepted, or the
 * experiment asks for what there is not
 */
export async function planRun(request: RunRequest, drawSeed: () => number): Promise<PlannedRun> {
  const loaded = await loadExperiment(request.experiment);
  const { experiment } = loaded;
  const spell = (name: string) => request.asOptions ? `--${optionName(name)}` : name;
  const { values, json } = resolveParams(experiment.params, request.params, { quick: request.quick, spell });
  const seed = request.seed ?? drawSeed();
  if (!Number.isInteger(seed) || seed < 0 || seed >= SEEDS) {
    throw new MisuseError(
      `Cannot use seed as it must be a whole number from 0 to ${SEEDS - 1}: current value is ${seed}`,
    );
  }
  const demands = ask(experiment, values);
  const { needs, servers, budgetMs, descriptors } = demands;
  const plan: Plan = {
    experiment: experiment.id,
    title: experiment.title,
    params: json,
    seed,
    budgetMs,
    descriptors,
    servers: servers.map(startedByHand),
    net: needs.net,
    namespace: needs.namespace,
  };
  return { ...loaded, ...demands, plan, values };
}

/** What an experiment asks for. */
type Demands = Pick<PlannedRun, "needs" | "servers" | "connections"> & Pick<Plan, "budgetMs" | "descriptors">;

/** Asks an experiment what it needs with these parameters: it may be a person's own, and say anything. */
function ask(experiment: Experiment, values: PlannedRun["values"]): Demands {
  const answer = <K extends keyof Demands>(name: K, preset: Demands[K]): Demands[K] => {
    const member = experiment[name] as ((params: typeof values) => Demands[K]) | undefined;
    try {
      return member?.call(experiment, values) ?? preset;
    } catch (error) {
      // What the person asked for is refused in the experiment's own words.
      if (error instanceof MisuseError) throw error;
      throw refusal(experiment, `its ${name} failed: ${error instanceof Error ? error.message : error}`);
    }
  };
  const demands: Demands = {
    needs: answer("needs", DEFAULT_NEEDS),
    servers: answer("servers", []),
    connections: answer("connections", null),
    budgetMs: answer("budgetMs", NaN),
    descriptors: answer("descriptors", DEFAULT_DESCRIPTORS),
  };
  const { servers, budgetMs, needs: { namespace } } = demands;
  if (!NAMESPACES.has(namespace)) {
    const known = [...NAMESPACES].join(", ");
    throw refusal(experiment, `its namespace must be one of ${known}: current value is ${namespace}`);
  }
  if (!(budgetMs > 0 && budgetMs < Infinity)) {
    throw refusal(experiment, `its budgetMs must be a number above 0: current value is ${budgetMs}`);
  }
  for (const { name } of servers) requireServer(experiment, name);
  const keys = servers.map(({ name, as = name }) => as);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  if (twice !== undefined) {
    throw refusal(experiment, `two of its servers are called ${twice}: tell them apart with \`as\``);
  }
  return demands;
}

function requireServer(experiment: Experiment, name: string): void {
  const known = serverNames();
  if (known.includes(name)) return;
  const nearest = closest(name, known);
  const hint = nearest === null ? `the servers are ${known.join(", ")}` : `did it mean ${nearest}?`;
  throw refusal(experiment, `there is no server ${name}: ${hint}`);
}

function refusal({ id }: Experiment, problem: string): MisuseError {
  return new MisuseError(`Cannot run ${id} as ${problem}`);
}

/** A server as a person would start it; flags that depend on other servers are not known yet. */
function startedByHand({ name, flags }: ServerSpec): string {
  return typeof flags === "function" ? `${name} …` : [name, ...flags].join(" ");
}
