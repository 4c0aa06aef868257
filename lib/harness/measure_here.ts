import { isKebabCase, MisuseError, type Row, type RowOf, type TableSchema } from "../record/mod.ts";
import { recordHere } from "./record_here.ts";

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
  const start = {
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
  } as const;
  return await recordHere(dataDirectory, start, async (emit) => {
    await measurement((row) => emit("rows", row as Row));
    return {};
  });
}
