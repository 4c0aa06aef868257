import { basename, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { closest, MisuseError } from "../record/mod.ts";
import type { Experiment } from "./contract.ts";
import { findProblem } from "./find_problem.ts";

/** The lab's own experiments by id, loaded when they are asked for. */
const EXPERIMENTS: Readonly<Record<string, () => Promise<{ default: Experiment }>>> = {
  "handshake-cost": () => import("./handshake_cost/mod.ts"),
  "idle-limit": () => import("./idle_limit/mod.ts"),
  "keep-alive-mismatch": () => import("./keep_alive_mismatch/mod.ts"),
  "lifetime-rotation": () => import("./lifetime_rotation/mod.ts"),
  "load": () => import("./load/mod.ts"),
  "pool-limits": () => import("./pool_limits/mod.ts"),
  "port-exhaustion": () => import("./port_exhaustion/mod.ts"),
  "port-selection": () => import("./port_selection/mod.ts"),
  "proxy-pooling": () => import("./proxy_pooling/mod.ts"),
  "server-limits": () => import("./server_limits/mod.ts"),
  "tls-vs-plain": () => import("./tls_vs_plain/mod.ts"),
};

/** How long a file may take to load, with what it imports from elsewhere, in milliseconds. */
const LOAD_LIMIT_MS = 60_000;

/** What {@linkcode loadExperiment} may be told. */
export interface LoadOptions {
  /** How long a person's file may take, in milliseconds. @default {60 s} */
  limitMs?: number;
}

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
 * @param folder the folder that relative paths start from
 * @returns the id, or an absolute URL
 * @throws {MisuseError} it begins like a URL and is none
 */
export function locateExperiment(name: string, folder: string): string {
  if (!isExperimentFile(name)) return name;
  // A path may hold what means something else in a URL: `#`, `?`, `%20`.
  if (!/^(file|https?):/i.test(name)) return pathToFileURL(resolve(folder, name)).href;
  const url = URL.parse(name);
  if (url === null) throw new MisuseError(`Cannot find experiment ${name} as it is not a whole URL`);
  return url.href;
}

/**
 * Loads an experiment.
 *
 * @param name an id, or the absolute URL of a file with an experiment as its default export
 * @param options how long it may take
 * @returns the experiment and where it came from
 * @throws {MisuseError} there is no such experiment, its file cannot be loaded, or exports none
 */
export async function loadExperiment(name: string, options: LoadOptions = {}): Promise<LoadedExperiment> {
  const { limitMs = LOAD_LIMIT_MS } = options;
  if (isExperimentFile(name)) return { experiment: await loadFile(name, limitMs), origin: "file" };
  const load = Object.hasOwn(EXPERIMENTS, name) ? EXPERIMENTS[name] : undefined;
  if (load) return { experiment: (await load()).default, origin: "lab" };
  const nearest = closest(name, experimentIds());
  const hint = nearest === null
    ? `the experiments are ${experimentIds().join(", ")}, and a file of your own is named by its path`
    : `did you mean ${nearest}?`;
  throw new MisuseError(`Cannot find experiment ${name}: ${hint}`);
}

async function loadFile(url: string, limitMs: number): Promise<Experiment> {
  const shown = url.startsWith("file:") ? basename(fileURLToPath(url)) : url;
  let module: { default?: unknown };
  try {
    module = await inTime(import(url), limitMs);
  } catch (error) {
    throw new MisuseError(`Cannot load experiment file ${shown}: ${whyNotLoaded(error)}`, { cause: error });
  }
  const problem = findProblem(module.default);
  if (problem === null) return module.default as Experiment;
  throw new MisuseError(
    `Cannot use experiment file ${shown} as its default export is no experiment, for ${problem}: ` +
      "export default defineExperiment({ … })",
  );
}

/** A file that awaits what never comes would be waited for without an end. */
async function inTime<T>(loaded: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(new Error(`it was not loaded after ${limitMs / 1000} s, and may await what never comes`)),
    limitMs,
  );
  try {
    return await Promise.race([loaded, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Deno's own advice on a right that is missing is a flag, which nobody gives to the lab's processes. */
function whyNotLoaded(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, right, what] = /^Requires (read|import) access to "?([^",]+)"?/.exec(message) ?? [];
  if (right === undefined) return message;
  return right === "read"
    ? `it imports ${what}, which is outside of its project: put a deno.json into a folder that holds both`
    : `it imports from ${what}, which only an experiment named by its URL there may do: keep a copy beside it`;
}
