import { join } from "node:path";
import { FORMAT_VERSION, type Manifest } from "../record/mod.ts";
import { UnreadableRunError } from "./errors.ts";

/** The name of the descriptor in a run's folder. */
export const MANIFEST_FILE = "datapackage.json";

/** A descriptor is a few thousand characters; what is larger than this is something else. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

const REMEDY_DAMAGED = "The tables beside it can still be read as CSV; to go on, run it again";

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
}

/**
 * Writes the descriptor of a run so that at every moment either the old one or the new one is there,
 * whole: into a temporary file, through to the disk, then renamed.
 *
 * @param path the folder of the run
 * @param manifest the descriptor
 * @throws {RangeError} it would be too long to be read again
 */
export function writeManifest(path: string, manifest: Manifest): void {
  const bytes = new TextEncoder().encode(JSON.stringify(manifest, null, 2) + "\n");
  if (bytes.length > MAX_MANIFEST_BYTES) {
    throw new RangeError(
      `Cannot write ${MANIFEST_FILE} as it must not be longer than ${MAX_MANIFEST_BYTES} bytes: ` +
        `it has ${bytes.length}`,
    );
  }
  const temporary = join(path, `${MANIFEST_FILE}.tmp`);
  try {
    using file = Deno.openSync(temporary, { write: true, create: true, truncate: true });
    writeAll(file, bytes);
    file.syncSync();
    Deno.renameSync(temporary, join(path, MANIFEST_FILE));
  } catch (error) {
    try {
      Deno.removeSync(temporary);
    } catch {
      // What went wrong first is what the caller has to know.
    }
    throw error;
  }
}

async function readText(path: string): Promise<string> {
  const file = join(path, MANIFEST_FILE);
  try {
    const { isFile, size } = await Deno.stat(file);
    if (!isFile || size > MAX_MANIFEST_BYTES) {
      throw new UnreadableRunError(
        `Cannot read run ${path}: its ${MANIFEST_FILE} is not a file of a plausible size`,
        "Name the folder of a run",
      );
    }
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof UnreadableRunError) throw error;
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
      throw new UnreadableRunError(
        `Cannot read run ${path}: ${error instanceof Error ? error.message : error}`,
        `See that its ${MANIFEST_FILE} is a plain file that you may read`,
        { cause: error },
      );
    }
    throw new UnreadableRunError(
      `Cannot read run ${path}: there is no ${MANIFEST_FILE}`,
      "Name the folder of a run; `lab runs` lists those that there are",
      { cause: error },
    );
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableRunError(
      `Cannot read run ${path}: its ${MANIFEST_FILE} is not JSON, or is cut off`,
      REMEDY_DAMAGED,
      { cause: error },
    );
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/**
 * Reads and checks the descriptor of a run.
 *
 * @param path the folder of the run
 * @returns the descriptor
 * @throws {UnreadableRunError} it is missing, damaged, not a run's, or of a newer format
 */
export async function readManifest(path: string): Promise<Manifest> {
  const raw = parse(path, await readText(path));
  const version = member(member(raw, "connlab"), "formatVersion");
  if (typeof version !== "number") {
    throw new UnreadableRunError(
      `Cannot read run ${path}: its ${MANIFEST_FILE} is a data package that is not a run of connlab`,
      "Name the folder of a run",
    );
  }
  if (version > FORMAT_VERSION) {
    throw new UnreadableRunError(
      `Cannot read run ${path}: its format is ${version}, and this connlab reads up to ${FORMAT_VERSION}`,
      "Update connlab",
    );
  }
  // zod is loaded by those who read a run, not by every command.
  const { MANIFEST } = await import("./_manifest_schema.ts");
  const outcome = MANIFEST.safeParse(raw);
  if (outcome.success) return outcome.data;
  const [issue] = outcome.error.issues;
  throw new UnreadableRunError(
    `Cannot read run ${path}: ${issue!.path.join(".")} in its ${MANIFEST_FILE} is not as it must be: ${
      issue!.message
    }`,
    REMEDY_DAMAGED,
  );
}
