/**
 * Runs notebooks without a front end, on the real Deno kernel.
 *
 * @module
 */
export type { CellFailure, NotebookStatus } from "./execute.ts";
export { type GivenParameters, readAssignments } from "./parameters.ts";
export type { NotebookEvent, NotebookResult } from "./protocol.ts";
export {
  type NotebooksOutcome,
  type NotebooksRequest,
  runNotebooks,
  type RunNotebooksOptions,
} from "./run_notebooks.ts";
