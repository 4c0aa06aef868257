import { createHash } from "node:crypto";
import type { Manifest, ManifestResource, RunStatus, TableResource } from "../record/mod.ts";
import { schemaOf } from "./_manifest_fields.ts";
import { locateResource } from "./_resource_file.ts";
import { readTableFile } from "./_table_file.ts";
import { CsvError, UnreadableRunError } from "./errors.ts";
import { MANIFEST_FILE, readManifest } from "./manifest_file.ts";

/**
 * What was found of a file. `unverifiable`: the run did not complete, or its descriptor has no hash, so nothing
 * says how the file must be. `refused`: the descriptor points outside of the folder, or the system does not let
 * the file be read. `extra`: the descriptor does not name it.
 */
export type FileVerdict =
  | "ok"
  | "hash differs"
  | "rows differ"
  | "schema violation"
  | "missing"
  | "refused"
  | "unverifiable"
  | "extra";

/** One file of a run, held against the descriptor. */
export interface FileVerification {
  /** The file, from the folder of the run. */
  readonly file: string;
  /** What was found. */
  readonly verdict: FileVerdict;
  /** The hash or the number of rows that the descriptor has; `null` where it is about neither. */
  readonly expected: string | null;
  /** The hash or the number of rows that was found; `null` where it is about neither. */
  readonly found: string | null;
  /** The line of a schema violation, from 1; `null` for any other verdict. */
  readonly line: number | null;
  /** The verdict in a sentence. */
  readonly message: string;
}

/** A run, held against its descriptor. */
export interface RunVerification {
  /** `<experiment>/<run id>`. */
  readonly id: string;
  /** The folder. */
  readonly path: string;
  /** How the run ended. */
  readonly status: RunStatus;
  /** `ok`, or `differs` when one file is not as it was written; `unverifiable` for an incomplete run. */
  readonly verdict: "ok" | "differs" | "unverifiable";
  /** The files. */
  readonly files: readonly FileVerification[];
}

type Finding =
  & Pick<FileVerification, "verdict" | "message">
  & Partial<Pick<FileVerification, "expected" | "found" | "line">>;

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const bytes of file.readable) hash.update(bytes);
  return `sha256:${hash.digest("hex")}`;
}

/** How many rows a table has; another number than it must have, and rows that do not fit, are a finding. */
async function countRows(
  path: string,
  resource: TableResource,
  incomplete: boolean,
): Promise<number | Finding> {
  const file = resource.path;
  let count = 0;
  try {
    const options = incomplete ? { onTorn: () => {} } : {};
    for await (const rows of readTableFile(path, file, schemaOf(resource), options)) count += rows.length;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { line, problem } = error;
    return {
      verdict: "schema violation",
      line,
      message: `${file} breaks its schema at line ${line}: ${problem}`,
    };
  }
  const { rows: expected } = resource;
  if (expected === undefined || count === expected) return count;
  const message = `${file} must have ${expected} rows, and has ${count}`;
  return { verdict: "rows differ", expected: String(expected), found: String(count), message };
}

async function checkResource(
  path: string,
  resource: ManifestResource,
  incomplete: boolean,
): Promise<Finding> {
  const { path: file, hash: expected } = resource;
  const location = await locateResource(path, resource);
  if (location === null) {
    return incomplete && expected === undefined
      ? { verdict: "unverifiable", message: `${file} was not made before the run ended` }
      : { verdict: "missing", message: `${file} is missing` };
  }
  const found = await hashFile(location);
  if (expected !== undefined && found !== expected) {
    const message = `${file} is not as it was written: its hash must be ${expected}, and is ${found}`;
    return { verdict: "hash differs", expected, found, message };
  }
  let content = `${(await Deno.stat(location)).size} bytes`;
  if (resource.type === "table") {
    const rows = await countRows(location, resource, incomplete);
    if (typeof rows !== "number") return rows;
    content = `${rows} rows`;
  }
  if (incomplete) {
    const message = `${file} has ${content}; the run is incomplete, so more may be missing`;
    return { verdict: "unverifiable", message };
  }
  if (expected === undefined) {
    const message = `${file} has ${content}; the descriptor has no hash that it could be held against`;
    return { verdict: "unverifiable", message };
  }
  return { verdict: "ok", expected, found, message: `${file} is as it was written, with ${content}` };
}

/** A file that cannot be read keeps none of the others from being checked. */
function refused({ path }: ManifestResource, error: unknown): Finding {
  return {
    verdict: "refused",
    message: error instanceof UnreadableRunError
      ? error.message
      : `${path} cannot be read: ${error instanceof Error ? error.message : error}`,
  };
}

async function extraFiles(path: string, manifest: Manifest): Promise<string[]> {
  const named = new Set([MANIFEST_FILE, ...manifest.resources.map(({ path }) => path.split("/")[0])]);
  const extra: string[] = [];
  for await (const { name } of Deno.readDir(path)) if (!named.has(name)) extra.push(name);
  return extra.sort();
}

/**
 * Holds the files of a run against its descriptor: hashes, rows, schemas. Safe for somebody else's run:
 * nothing outside of its folder is opened. The descriptor itself is not protected by a hash.
 *
 * @param path the folder of the run
 * @returns what was found, file by file
 * @throws {UnreadableRunError} the descriptor is missing, damaged, or of a newer format
 */
export async function verifyRun(path: string): Promise<RunVerification> {
  const manifest = await readManifest(path);
  const { id, status } = manifest.connlab;
  const incomplete = status === "incomplete";
  const files: FileVerification[] = [];
  for (const resource of manifest.resources) {
    const finding = await checkResource(path, resource, incomplete)
      .catch((error) => refused(resource, error));
    files.push({ file: resource.path, expected: null, found: null, line: null, ...finding });
  }
  const differs = files.some(({ verdict }) => verdict !== "ok" && verdict !== "unverifiable");
  for (const file of await extraFiles(path, manifest)) {
    const message = `${file} is not named by the descriptor`;
    files.push({ file, verdict: "extra", expected: null, found: null, line: null, message });
  }
  const unverifiable = incomplete || files.some(({ verdict }) => verdict === "unverifiable");
  return { id, path, status, verdict: differs ? "differs" : unverifiable ? "unverifiable" : "ok", files };
}
