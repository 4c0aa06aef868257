import { dirname, join, resolve } from "node:path";

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/**
 * The root of the project that a folder belongs to: the nearest folder at or above it with a `deno.json`
 * (or `deno.jsonc`).
 *
 * @param from the folder
 * @returns the root; `null` when there is none
 */
export function findProjectRoot(from: string): string | null {
  for (let folder = resolve(from);; folder = dirname(folder)) {
    if (isFile(join(folder, "deno.json")) || isFile(join(folder, "deno.jsonc"))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/**
 * The folder that runs are kept in.
 *
 * @param given the folder that the person named; `data` under the project's root when left out
 * @param from the folder to start from. @default {the working folder}
 * @returns its absolute path; it need not exist
 */
export function dataDirectory(given?: string, from: string = Deno.cwd()): string {
  return given === undefined ? join(findProjectRoot(from) ?? from, "data") : resolve(from, given);
}
