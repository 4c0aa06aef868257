import { join, relative } from "node:path";
import { isAbsolute } from "node:path/posix";
import type { ManifestResource } from "../record/mod.ts";
import { UnreadableRunError } from "./errors.ts";

/** A run may be somebody else's: a path that leads out of its folder is not followed. */
const REMEDY = "Do not trust this run: its descriptor points outside of its own folder";

function staysInside(path: string): boolean {
  const segments = path.split("/");
  return path !== "" && !isAbsolute(path) && !/[\\:\0]/.test(path) &&
    segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/**
 * Finds the file of a resource, and makes sure that it is a plain file inside the folder of its run.
 *
 * @param path the folder of the run
 * @param resource the resource
 * @returns the file's path; `null` when there is none
 * @throws {UnreadableRunError} the path leads out of the folder, or not to a plain file
 */
export async function locateResource(path: string, resource: ManifestResource): Promise<string | null> {
  const refuse = (problem: string) =>
    new UnreadableRunError(
      `Cannot read ${resource.type ?? "file"} ${resource.name} of run ${path}: ${problem}`,
      REMEDY,
    );
  if (!staysInside(resource.path)) {
    throw refuse(`path must name a file in the folder of the run: current value is ${resource.path}`);
  }
  try {
    const file = join(path, resource.path);
    const inside = relative(await Deno.realPath(path), await Deno.realPath(file));
    if (inside.startsWith("..")) throw refuse(`${resource.path} is a link that leads out of the folder`);
    if (!(await Deno.stat(file)).isFile) throw refuse(`${resource.path} is not a plain file`);
    // Not the real path: rights are named for the path as it is written.
    return file;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    if (error instanceof Deno.errors.FilesystemLoop) throw refuse(`${resource.path} is a link to itself`);
    throw error;
  }
}
