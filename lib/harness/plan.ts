import {
  type Experiment,
  type LoadedExperiment,
  loadExperiment,
  type Needs,
  type ServerSpec,
} from "../experiments/mod.ts";
import {
  closest,
  type CommandLine,
  describeCommand,
  isCommandLine,
  MisuseError,
  optionName,
  type ParamSchema,
  resolveParams,
} from "../record/mod.ts";
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
  /** Whether the person wrote the parameters as options. */
  readonly asOptions: boolean;
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
  return { ...loaded, ...demands, plan, values, asOptions: request.asOptions === true };
}

/** What an experiment asks for. */
export type Demands =
  & Pick<PlannedRun, "needs" | "servers" | "connections">
  & Pick<Plan, "budgetMs" | "descriptors">;

/**
 * Asks an experiment what it needs with these parameters: it may be a person's own, and say anything.
 *
 * @param experiment the experiment
 * @param values what it sees of its parameters
 * @returns its needs
 * @throws {MisuseError} it asks for what there is not, or fails
 */
export function ask(experiment: Experiment, values: PlannedRun["values"]): Demands {
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
  const { servers, budgetMs, needs: { namespace, required = true } } = demands;
  if (!NAMESPACES.has(namespace)) {
    const known = [...NAMESPACES].join(", ");
    throw refusal(experiment, `its namespace must be one of ${known}: current value is ${namespace}`);
  }
  if (!(budgetMs > 0 && budgetMs < Infinity)) {
    throw refusal(experiment, `its budgetMs must be a number above 0: current value is ${budgetMs}`);
  }
  for (const server of servers) requireServer(experiment, server, values);
  if (namespace !== "own" || !required) requireNoNetwork(experiment, servers);
  const keys = servers.map(({ name, as = name }) => as);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  if (twice !== undefined) {
    throw refusal(experiment, `two of its servers are called ${twice}: tell them apart with \`as\``);
  }
  return demands;
}

function requireServer(
  experiment: Experiment,
  { name, run }: ServerSpec,
  values: PlannedRun["values"],
): void {
  const known = serverNames();
  if (known.includes(name)) return requireCommand(experiment, name, run, values);
  const nearest = closest(name, known);
  const hint = nearest === null ? `the servers are ${known.join(", ")}` : `did it mean ${nearest}?`;
  throw refusal(experiment, `there is no server ${name}: ${hint}`);
}

/** Where the run may be in the machine's own network there is none besides. */
function requireNoNetwork(experiment: Experiment, servers: readonly ServerSpec[]): void {
  for (const { name, as = name, network } of servers) {
    if (network === undefined) continue;
    throw refusal(
      experiment,
      `its server ${as} is to be in network ${network}, and only a run that requires a network of its own has others: ` +
        'let its needs have namespace "own" and not required: false',
    );
  }
}

/** A server starts a program only when a person named it: an experiment's own file may say anything. */
function requireCommand(
  experiment: Experiment,
  name: string,
  run: CommandLine | undefined,
  values: PlannedRun["values"],
): void {
  if (name !== "command" && run !== undefined) {
    throw refusal(experiment, `its server ${name} starts no program: command does`);
  }
  if (name !== "command") return;
  if (!isCommandLine(run)) throw refusal(experiment, "its server command has no program to start");
  const isNamed = Object.entries(experiment.params as ParamSchema).some(([param, { kind }]) =>
    kind === "command" && (values[param] as CommandLine | null)?.program === run.program
  );
  if (!isNamed) {
    throw refusal(
      experiment,
      `no parameter names the program that its server command starts: ${run.program}`,
    );
  }
}

function refusal({ id }: Experiment, problem: string): MisuseError {
  return new MisuseError(`Cannot run ${id} as ${problem}`);
}

/** A server as a person would start it; flags that depend on other servers are not known yet. */
function startedByHand({ name, flags, run }: ServerSpec): string {
  const written = typeof flags === "function" ? `${name} …` : [name, ...flags].join(" ");
  return run === undefined ? written : `${written}: ${describeCommand(run)}`;
}
