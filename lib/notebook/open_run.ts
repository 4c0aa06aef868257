import { join } from "node:path";
import { type Experiment, experimentIds, isExperimentFile, loadExperiment } from "../experiments/mod.ts";
import { MisuseError } from "../record/mod.ts";
import { MANIFEST_FILE, readRun } from "../store/mod.ts";
import { Run } from "./run.ts";

/**
 * Reads a run back from disk, with the experiment that draws its figures where that is at hand.
 *
 * @param path the folder of the run
 * @param source the URL of a person's own experiment; `null` for one of the lab's
 * @returns the run
 * @throws {MisuseError} the source is of another experiment
 */
export async function openRun(path: string, source: string | null = null): Promise<Run> {
  const [stored, manifest] = await Promise.all([readRun(path), Deno.readFile(join(path, MANIFEST_FILE))]);
  const { id, origin } = stored.experiment;
  const name = source ?? (origin === "lab" && experimentIds().includes(id) ? id : null);
  const current = name === null ? null : await load(name);
  if (current !== null && current.id !== id) {
    throw new MisuseError(
      `Cannot load run ${stored.id} with the experiment ${current.id}: it is a run of ${id}`,
    );
  }
  return new Run(stored, current, await hash(manifest));
}

/** The kernel keeps modules until it ends: a file's hash in its URL makes an edit count at once. */
async function load(name: string): Promise<Experiment> {
  const url = isExperimentFile(name) ? URL.parse(name) : null;
  const version = url?.protocol === "file:" ? `?${await hash(await Deno.readFile(url))}` : "";
  return (await loadExperiment(`${name}${version}`)).experiment;
}

async function hash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha256:${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}`;
}
