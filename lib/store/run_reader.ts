import { type Cell, ColumnTable, type Manifest, type TableResource, type Warning } from "../record/mod.ts";
import { schemaOf } from "./_manifest_fields.ts";
import { locateResource } from "./_resource_file.ts";
import { readTableFile } from "./_table_file.ts";
import { CsvError, UnreadableRunError } from "./errors.ts";
import { readManifest } from "./manifest_file.ts";
import { StoredRun } from "./stored_run.ts";

/** The rows of a table, some thousands at a time. */
async function* batches(
  path: string,
  manifest: Manifest,
  resource: TableResource,
  onTorn: () => void,
): AsyncGenerator<Cell[][]> {
  const mayBeTorn = manifest.connlab.status !== "complete";
  const file = await locateResource(path, resource);
  if (file === null) {
    // The process died before it made the file.
    if (mayBeTorn) return;
    throw new UnreadableRunError(
      `Cannot read run ${path}: ${resource.path} is missing`,
      "Fetch the whole folder of the run, or run it again",
    );
  }
  try {
    yield* readTableFile(file, resource.path, schemaOf(resource), mayBeTorn ? { onTorn } : {});
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableRunError(
      `Cannot read run ${path}: ${resource.path} at line ${error.line}: ${error.problem}`,
      "Fetch the file as it was written: `lab verify` tells which files were changed since",
      { cause: error },
    );
  }
}

/** Rows that were cut off between two lines leave no trace but their number. */
function checkCount(path: string, resource: TableResource, count: number): void {
  const { rows = count } = resource;
  if (count === rows) return;
  throw new UnreadableRunError(
    `Cannot read run ${path}: ${resource.path} must have ${rows} rows, and has ${count}`,
    "Fetch the file as it was written, or run it again",
  );
}

function tornRow(file: string): Warning {
  return {
    code: "torn-row",
    message: `The last row of ${file} was cut off when the run ended, and is left out`,
    remedy: "Run it again if every row counts",
  };
}

/**
 * Reads a run. Of a run that did not complete, a last row that was cut off is left out, with a warning
 * `torn-row`, and a table that has no file yet is empty.
 *
 * @param path the folder of the run
 * @returns the run with its tables
 * @throws {UnreadableRunError} the descriptor or a table is missing, damaged, or of a newer format
 */
export async function readRun(path: string): Promise<StoredRun> {
  const manifest = await readManifest(path);
  const tables: Record<string, ColumnTable> = {};
  const notes: Warning[] = [];
  for (const resource of manifest.resources) {
    if (resource.type !== "table") continue;
    const table = new ColumnTable(resource.name, schemaOf(resource));
    const onTorn = () => notes.push(tornRow(resource.path));
    for await (const rows of batches(path, manifest, resource, onTorn)) {
      for (const cells of rows) table.addCells(cells);
    }
    if (manifest.connlab.status === "complete") checkCount(path, resource, table.length);
    tables[resource.name] = table;
  }
  return new StoredRun(path, manifest, tables, notes);
}
