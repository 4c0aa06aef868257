import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { column, type ExperimentInfo, type ParamJson } from "../record/mod.ts";
import { createRun } from "../store/mod.ts";
import { openRun } from "./open_run.ts";
import type { Run } from "./run.ts";

/** What is different about a run of {@linkcode makeRun}. */
export interface RunOptions {
  /** The experiment. */
  experiment?: Partial<ExperimentInfo>;
  /** Its parameters. */
  params?: Record<string, ParamJson>;
  /** What the person called it. */
  label?: string;
  /** The waits, in milliseconds. */
  waitsMs?: readonly number[];
}

/**
 * Saves a run of an experiment `waits`, as it lies on disk after a measurement.
 *
 * @param data the folder that runs are kept in
 * @param options what is different about it
 * @returns the folder of the run
 */
export function makeRun(data: string, options: RunOptions = {}): string {
  const { experiment, params = { lifetime: "2500ms" }, label = null, waitsMs = [1, 2, 3] } = options;
  using writer = createRun(data, {
    experiment: {
      ...{ id: "waits", version: 1, title: "Waits", question: "How long?", origin: "file" },
      ...experiment,
    },
    tables: { waits: { order: column.count("which wait"), waitMs: column.ms("time to wait") } },
    params,
    seed: 1,
    label,
  });
  writer.append("waits", waitsMs.map((waitMs, order) => `${order},${waitMs}\n`).join(""), waitsMs.length);
  writer.finish({ status: "complete" });
  return writer.path;
}

/**
 * Writes the file of the experiment `waits`.
 *
 * @param folder where to
 * @param version its version
 * @param id its id
 * @returns its URL
 */
export function writeExperiment(folder: string, version = 1, id = "waits"): string {
  const source = `import { column, defineExperiment, duration, groupedPoints } from "connlab";
export default defineExperiment({
  id: "${id}",
  version: ${version},
  title: "Waits",
  question: "How long?",
  params: { lifetime: duration({ default: "1s", help: "lifetime" }) },
  tables: { waits: { order: column.count("which wait"), waitMs: column.ms("time to wait") } },
  budgetMs: () => 1000,
  measure: () => Promise.resolve(),
  summarize: () => [],
  figures: {
    waits: (run) =>
      groupedPoints({
        title: "Waits",
        subtitle: \`a lifetime of \${run.values.lifetime + 0.5} ms\`,
        x: { label: "Wait", unit: "1" },
        y: { label: "Time", unit: "ms" },
        series: [{
          name: "wait",
          x: run.tables.waits.numbers("order"),
          y: run.tables.waits.numbers("waitMs"),
        }],
      }),
  },
});
`;
  const path = join(folder, `${id}_${version}.ts`);
  Deno.writeTextFileSync(path, source);
  return pathToFileURL(path).href;
}

/**
 * Saves a run and opens it with its experiment.
 *
 * @param folder where both are
 * @param options what is different about the run
 * @returns the run
 */
export function openedRun(folder: string, options: RunOptions = {}): Promise<Run> {
  const { id = "waits", version = 1 } = options.experiment ?? {};
  return openRun(makeRun(folder, options), writeExperiment(folder, version, id));
}
