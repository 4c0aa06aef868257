import type { Warning } from "../../record/mod.ts";
import { Kernel } from "../kernel/mod.ts";
import { type CellRules, CellRunner, type CellStop } from "./cell_runner.ts";
import { type CodeCell, type JsonObject, type Notebook, noteKernel, tagsOf } from "./nbformat.ts";
import { PRELUDE } from "./prelude.ts";

/** What {@linkcode executeNotebook} takes beside the notebook. */
export interface NotebookOptions {
  /** The folder that the kernel works in: the notebook's own. */
  cwd: string;
  /**
   * How long a cell may take, in milliseconds. @default {`execution.timeout` of the notebook's metadata,
   * else ten minutes}
   */
  timeoutMs?: number;
  /** Interrupts it when it aborts: the kernel is killed, what was executed is kept. */
  signal?: AbortSignal;
  /** Takes how far it is: before each cell, and at the end. */
  onCell?: (progress: CellProgress) => void;
  /** Takes the plain text of a display that changes in place, such as a progress bar. */
  onLive?: (text: string) => void;
}

/** How far a notebook is. */
export interface CellProgress {
  /** How many code cells have been run. */
  readonly done: number;
  /** How many are to be run in all. */
  readonly total: number;
  /** The notebook so far. */
  readonly notebook: Notebook;
}

/** Where and why a notebook failed. */
export interface CellFailure {
  /** The place of the cell in the notebook, from 1. */
  readonly cell: number;
  /** The name of the error's class. */
  readonly ename: string;
  /** Its message. */
  readonly evalue: string;
}

/** How the execution of a notebook ended. */
export type NotebookStatus = "complete" | "failed" | "interrupted";

/** A notebook that has been executed, as far as it came. */
export interface Execution {
  /** The notebook with its outputs; cells that were not run have none. */
  readonly notebook: Notebook;
  /** How it ended. */
  readonly status: NotebookStatus;
  /** The cell that ended it; `null` when it is complete, or was interrupted before the first cell. */
  readonly failure: CellFailure | null;
  /** What makes the outputs less sure than they look. */
  readonly warnings: readonly Warning[];
}

const DEFAULT_TIMEOUT_MS = 600_000;
/** Measured: the kernel tore outputs of 8 MB in 3 of 12 runs, and none of 1 MB. */
const LARGE_OUTPUT_BYTES = 1_000_000;

/**
 * Executes the code cells of a notebook in order, in a kernel of its own, and stops at the first that
 * fails. Tags and metadata say what else: a cell tagged `raises-exception` may fail, one tagged
 * `skip-execution` is passed over and keeps its outputs; `execution.allow_errors` in the notebook's
 * metadata lets every cell fail.
 *
 * Needs `--allow-run=deno` and `--allow-net=127.0.0.1`.
 *
 * @param notebook the notebook; it is not changed
 * @param options folder, patience, interruption
 * @returns the executed notebook, also when it failed
 * @throws {CannotRunHereError} the kernel does not start
 */
export async function executeNotebook(notebook: Notebook, options: NotebookOptions): Promise<Execution> {
  const { cwd, signal = new AbortController().signal, onCell = () => {} } = options;
  await using kernel = await startKernel(cwd, signal);
  const executed = structuredClone(kernel ? noteKernel(notebook, kernel.languageInfo) : notebook);
  const cells = executed.cells.filter(isToBeRun);
  for (const cell of cells) Object.assign(cell, { outputs: [], execution_count: null });
  if (!kernel) return { notebook: executed, status: "interrupted", failure: null, warnings: [] };
  const filled = cells.filter(({ source }) => source.trim() !== "");
  const stop = await runAll(
    new CellRunner(kernel, signal, options.onLive),
    filled,
    executed,
    options,
    onCell,
  );
  if (!stop) await kernel.shutdown();
  return {
    notebook: executed,
    status: stop?.status ?? "complete",
    failure: stop && {
      cell: executed.cells.indexOf(stop.cell) + 1,
      ename: stop.error.ename,
      evalue: stop.error.evalue,
    },
    warnings: executed.cells.flatMap((cell, index) =>
      cell.cell_type === "code" ? sizeWarnings(cell, index) : []
    ),
  };
}

async function runAll(
  runner: CellRunner,
  cells: readonly CodeCell[],
  notebook: Notebook,
  options: NotebookOptions,
  onCell: (progress: CellProgress) => void,
): Promise<CellStop & { readonly cell: CodeCell } | null> {
  const rulesOf = readRules(notebook, options);
  for (const [done, cell] of cells.entries()) {
    onCell({ done, total: cells.length, notebook });
    const stop = await runner.run(cell, rulesOf(cell));
    if (stop) return { ...stop, cell };
  }
  const last = cells.at(-1);
  const stop = last ? await runner.finish(rulesOf(last)) : null;
  onCell({ done: cells.length, total: cells.length, notebook });
  return stop && { ...stop, cell: last! };
}

/** The kernel; `null` when the person interrupts before it is there. */
async function startKernel(cwd: string, signal: AbortSignal): Promise<Kernel | null> {
  let kernel: Kernel | undefined;
  try {
    kernel = await Kernel.start({ cwd, signal });
    await kernel.execute(PRELUDE, { silent: true });
    return kernel;
  } catch (error) {
    await kernel?.kill();
    if (signal.aborted) return null;
    throw error;
  }
}

function isToBeRun(cell: Notebook["cells"][number]): cell is CodeCell {
  return cell.cell_type === "code" && !tagsOf(cell).includes("skip-execution");
}

/** Source of tags and metadata: nbclient and nbmake. */
function readRules(notebook: Notebook, options: NotebookOptions): (cell: CodeCell) => CellRules {
  const { timeout, allow_errors } = (notebook.metadata.execution ?? {}) as JsonObject;
  // Zero and below are how nbclient says: no limit.
  const own = typeof timeout === "number" ? (timeout > 0 ? timeout * 1000 : null) : DEFAULT_TIMEOUT_MS;
  const timeoutMs = options.timeoutMs ?? own;
  return (cell) => ({
    mayFail: allow_errors === true || tagsOf(cell).includes("raises-exception"),
    timeoutMs,
  });
}

function sizeWarnings(cell: CodeCell, index: number): Warning[] {
  const bytes = Math.max(0, ...cell.outputs.map((output) => JSON.stringify(output).length));
  if (bytes <= LARGE_OUTPUT_BYTES) return [];
  return [{
    code: "large-output",
    message: `Cell ${index + 1} has an output of ${(bytes / 1e6).toFixed(1)} MB`,
    remedy: "Show less at once: the kernel tears large outputs now and then, and the notebook then fails",
  }];
}
