import { basename, dirname, join, resolve } from "node:path";
import { closest, type Manifest, MisuseError } from "../record/mod.ts";
import { UnreadableRunError } from "./errors.ts";
import { MANIFEST_FILE, readManifest } from "./manifest_file.ts";
import { runIdTime } from "./run_id.ts";

/** A folder under `data/` that is a run, or looks like one. */
export interface RunEntry {
  /** `<experiment>/<folder>`; `<experiment>` alone when that folder cannot be read. */
  readonly id: string;
  /** The folder, as an absolute path. */
  readonly path: string;
  /** When it began, in ISO 8601, UTC; `null` when nothing tells. */
  readonly started: string | null;
  /** Its descriptor; `null` when it cannot be read. */
  readonly manifest: Manifest | null;
  /** Why it cannot be read; `null` when it can. */
  readonly problem: string | null;
}

/** A scope may come from the command line: it is a folder of the data folder, nothing above. */
function isFolderName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}

/** The folders in a folder, in order; none when there is no such folder. */
async function folders(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      if (isDirectory && !name.startsWith(".")) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
  }
  return names.sort();
}

async function readEntry(dataDirectory: string, experiment: string, folder: string): Promise<RunEntry> {
  const path = join(dataDirectory, experiment, folder);
  const entry = { id: `${experiment}/${folder}`, path, started: runIdTime(folder) };
  try {
    const manifest = await readManifest(path);
    return { ...entry, started: manifest.connlab.started, manifest, problem: null };
  } catch (error) {
    if (!(error instanceof UnreadableRunError)) throw error;
    return { ...entry, manifest: null, problem: error.problem };
  }
}

/**
 * Lists the runs, the newest last. A folder that cannot be read as a run is listed with its problem,
 * before all others when nothing tells when it began.
 *
 * @param dataDirectory the folder that runs are kept in
 * @param experiment the id of an experiment, for its runs alone
 * @returns one entry a folder; none when there is no such folder
 */
export async function listRuns(dataDirectory: string, experiment?: string): Promise<RunEntry[]> {
  const root = resolve(dataDirectory);
  const entries: RunEntry[] = [];
  const experiments = experiment === undefined ? await folders(root) : [experiment].filter(isFolderName);
  for (const one of experiments) {
    try {
      for (const folder of await folders(join(root, one))) entries.push(await readEntry(root, one, folder));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      entries.push({ id: one, path: join(root, one), started: null, manifest: null, problem });
    }
  }
  const order = ({ started, id }: RunEntry) => `${started ?? ""} ${basename(id)}`;
  return entries.sort((a, b) => order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0);
}

/** The folder of a run that was named by its path, or by that of its descriptor. */
async function findByPath(name: string, folder: string): Promise<string | null> {
  const path = resolve(folder, basename(name) === MANIFEST_FILE ? dirname(name) : name);
  try {
    return (await Deno.stat(join(path, MANIFEST_FILE))).isFile ? path : null;
  } catch {
    return null;
  }
}

/** What {@linkcode findRun} may be told. */
export interface FindRunOptions {
  /** The folder that the path of a run starts from. @default {the working folder} */
  folder?: string;
}

/**
 * Finds a run by what a person calls it.
 *
 * @param dataDirectory the folder that runs are kept in
 * @param name `<experiment>/<run id>`, the run id alone, the path of the run's folder, the beginning of
 * a run id, `latest`, or `<experiment>/latest`
 * @param options where a path starts
 * @returns the folder of the run, as an absolute path
 * @throws {MisuseError} there is no such run, or more than one
 */
export async function findRun(
  dataDirectory: string,
  name: string,
  options: FindRunOptions = {},
): Promise<string> {
  const [, scope, run = ""] = /^(?:([^/]+)\/)?([^/]+)$/.exec(name) ?? [];
  const entries = (await listRuns(dataDirectory, scope)).filter(({ id }) => runIdTime(basename(id)) !== null);
  if (run === "latest") {
    const newest = entries.at(-1);
    if (newest) return newest.path;
    const of = scope === undefined ? "" : ` of experiment ${scope}`;
    throw new MisuseError(`Cannot find the latest run as there is none${of} in ${dataDirectory}`);
  }
  const begun = run === "" ? [] : entries.filter(({ id }) => basename(id).startsWith(run));
  const exact = begun.filter(({ id }) => basename(id) === run);
  if (exact.length === 1) return exact[0]!.path;
  const byPath = await findByPath(name, options.folder ?? Deno.cwd());
  if (byPath !== null) return byPath;
  if (begun.length === 1) return begun[0]!.path;
  if (begun.length > 1) {
    throw new MisuseError(
      `Cannot find one run by ${name} as ${begun.length} begin so: ${begun.map(({ id }) => id).join(", ")}`,
    );
  }
  const nearest = closest(name, (await listRuns(dataDirectory)).map(({ id }) => id));
  throw new MisuseError(
    `Cannot find run ${name} in ${dataDirectory}: ` +
      (nearest === null ? "`lab runs` lists those that there are" : `did you mean ${nearest}?`),
  );
}
