import { closest, MisuseError } from "../record/mod.ts";
import type { Experiment } from "./contract.ts";

/** The lab's own experiments by id, loaded when they are asked for. */
const EXPERIMENTS: Readonly<Record<string, () => Promise<{ default: Experiment }>>> = {
  "handshake-cost": () => import("./handshake_cost/mod.ts"),
};

/** An experiment with where it came from. */
export interface LoadedExperiment {
  /** The experiment. */
  readonly experiment: Experiment;
  /** `lab` for one of ours, `file` for a person's own. */
  readonly origin: "lab" | "file";
}

/**
 * The ids of the lab's own experiments.
 *
 * @returns the ids, in order
 */
export function experimentIds(): string[] {
  return Object.keys(EXPERIMENTS).sort();
}

/**
 * Whether a name is the path or URL of a file rather than an id.
 *
 * @param name what the person wrote
 * @returns `true` for a path or URL
 */
export function isExperimentFile(name: string): boolean {
  return /[/\\]|\.[cm]?[jt]s$/.test(name);
}

/**
 * Makes an experiment's name independent of the working folder.
 *
 * @param name an id, or the path or URL of a file
 * @param baseUrl the folder that relative paths start from, as a `file:` URL that ends in a slash
 * @returns the id, or an absolute URL
 */
export function locateExperiment(name: string, baseUrl: string): string {
  return isExperimentFile(name) ? new URL(name, baseUrl).href : name;
}

/**
 * Loads an experiment.
 *
 * @param name an id, or the absolute URL of a file with an experiment as its default export
 * @returns the experiment and where it came from
 * @throws {MisuseError} there is no such experiment, its file cannot be loaded, or exports none
 */
export async function loadExperiment(name: string): Promise<LoadedExperiment> {
  if (isExperimentFile(name)) return { experiment: await loadFile(name), origin: "file" };
  const load = Object.hasOwn(EXPERIMENTS, name) ? EXPERIMENTS[name] : undefined;
  if (load) return { experiment: (await load()).default, origin: "lab" };
  const nearest = closest(name, experimentIds());
  const hint = nearest === null
    ? `the experiments are ${experimentIds().join(", ")}, and a file of your own is named by its path`
    : `did you mean ${nearest}?`;
  throw new MisuseError(`Cannot find experiment ${name}: ${hint}`);
}

async function loadFile(url: string): Promise<Experiment> {
  const shown = url.slice(url.lastIndexOf("/") + 1);
  let module: { default?: unknown };
  try {
    module = await import(url);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new MisuseError(`Cannot load experiment file ${shown}: ${message}`, { cause: error });
  }
  const experiment = module.default as Partial<Experiment> | undefined;
  if (typeof experiment?.measure === "function" && typeof experiment.summarize === "function") {
    return experiment as Experiment;
  }
  throw new MisuseError(
    `Cannot use experiment file ${shown} as its default export is no experiment: export default defineExperiment({ … })`,
  );
}
