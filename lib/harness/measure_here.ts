import { isKebabCase, MisuseError, type Row, type RowOf, type TableSchema } from "../record/mod.ts";
import { createRun, rowFormatter } from "../store/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import { readSourceState } from "./source_state.ts";

/** What {@linkcode measureHere} takes. */
export interface MeasureHereOptions<S extends TableSchema> {
  /** The columns of the rows. */
  readonly columns: S;
  /** The name under which the run is saved, in kebab case. @default {"quick-look"} */
  readonly name?: string;
  /** What you call the run. @default {nothing} */
  readonly label?: string | null;
}

/** Measures, and calls `emit` with each row. */
export type Measurement<S extends TableSchema> = (emit: (row: RowOf<S>) => void) => Promise<void> | void;

/**
 * Measures in this process, for a quick look, and saves the rows as a run that says so.
 *
 * @param dataDirectory the folder that runs are kept in
 * @param options columns, name and label
 * @param measurement what measures
 * @returns the folder of the run
 * @throws {MisuseError} the name is not in kebab case
 * @throws {Error} the measurement failed; its rows so far are kept
 */
export async function measureHere<S extends TableSchema>(
  dataDirectory: string,
  options: MeasureHereOptions<S>,
  measurement: Measurement<S>,
): Promise<string> {
  const { columns, name = "quick-look", label = null } = options;
  if (!isKebabCase(name)) {
    throw new MisuseError(`Cannot measure as the name must be in kebab case: current value is ${name}`);
  }
  using writer = createRun(dataDirectory, {
    experiment: {
      id: name,
      version: 1,
      title: "A quick look",
      question: "Measured in a cell",
      origin: "cell",
    },
    label,
    params: {},
    seed: 0,
    tables: { rows: columns },
    warnings: [{
      code: "measured-in-the-kernel",
      message: "The rows were measured in the kernel, whose event loop and heap are in the numbers",
      remedy: "Write an experiment file and give its path to lab.run",
    }],
  });
  writer.update({ environment: readEnvironment({ isolation: "none", source: await readSourceState() }) });
  const format = rowFormatter(columns);
  const rows: string[] = [];
  // Rows are written when the measurement is over, so that no file is written within it.
  const save = () => writer.append("rows", rows.join(""), rows.length);
  try {
    await measurement((row) => void rows.push(format(row as Row)));
  } catch (error) {
    save();
    writer.finish({ status: "failed", reason: error instanceof Error ? error.message : String(error) });
    throw error;
  }
  save();
  writer.finish({ status: "complete" });
  return writer.path;
}
