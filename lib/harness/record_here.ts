import type { Row } from "../record/mod.ts";
import { createRun, rowFormatter, type RunFindings, type RunStart } from "../store/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import { readSourceState } from "./source_state.ts";

/** Measures, calls `emit` with each row of a table, and gives what is found beside the rows. */
export type RecordedWork = (emit: (table: string, row: Readonly<Row>) => void) => Promise<RunFindings>;

/**
 * Saves as a run what this process measures, with the environment.
 *
 * @param dataDirectory the folder that runs are kept in
 * @param start what is known of the run
 * @param work what measures
 * @returns the folder of the run
 * @throws {Error} the measurement failed; its rows so far are kept
 */
export async function recordHere(
  dataDirectory: string,
  start: RunStart,
  work: RecordedWork,
): Promise<string> {
  using writer = createRun(dataDirectory, start);
  writer.update({ environment: readEnvironment({ isolation: "none", source: await readSourceState() }) });
  const tables = new Map(
    Object.entries(start.tables).map(([name, schema]) =>
      [name, { format: rowFormatter(schema), rows: [] as string[] }] as const
    ),
  );
  // Rows are written when the measurement is over, so that no file is written within it.
  const save = () => {
    for (const [name, { rows }] of tables) writer.append(name, rows.join(""), rows.length);
  };
  let findings: RunFindings;
  try {
    findings = await work((name, row) => {
      const table = tables.get(name);
      if (table === undefined) throw new RangeError(`Cannot record a row as there is no table ${name}`);
      table.rows.push(table.format(row));
    });
  } catch (error) {
    save();
    writer.finish({ status: "failed", reason: error instanceof Error ? error.message : String(error) });
    throw error;
  }
  save();
  writer.finish({ ...findings, status: "complete" });
  return writer.path;
}
