import type { JsonObject, Notebook } from "./nbformat.ts";
import type { Parameter } from "./parameters.ts";

/** What is told of a notebook's run. */
export interface RunRecord {
  /** The parameters that it was given. */
  readonly parameters: readonly Parameter[];
  /** When it began, in milliseconds since 1970. */
  readonly startedMs: number;
  /** When it ended; `null` while it has not. */
  readonly endedMs: number | null;
  /** Whether it failed or was interrupted. */
  readonly failed: boolean;
}

/**
 * Notes in a notebook's metadata how it was run, as papermill does: parameters, beginning, end, duration in
 * seconds, and whether there was an exception.
 *
 * Source: https://papermill.readthedocs.io/en/latest/ (the `papermill` metadata of executed notebooks)
 *
 * @param notebook the notebook
 * @param record what is told
 * @returns another notebook, with the note
 */
export function noteRun(notebook: Notebook, record: RunRecord): Notebook {
  const { parameters, startedMs, endedMs, failed } = record;
  const papermill: JsonObject = {
    parameters: Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
    start_time: new Date(startedMs).toISOString(),
    end_time: endedMs === null ? null : new Date(endedMs).toISOString(),
    duration: endedMs === null ? null : (endedMs - startedMs) / 1000,
    exception: failed ? true : null,
  };
  return { ...notebook, metadata: { ...notebook.metadata, papermill } };
}
