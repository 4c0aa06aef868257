import { dirname } from "node:path";
import { CannotRunHereError, type Json, MisuseError } from "../../record/mod.ts";
import { type CellProgress, executeNotebook, type Execution } from "./execute.ts";
import { formatNotebook } from "./format.ts";
import { type Notebook, parseNotebook, requireDenoKernel, serializeNotebook } from "./nbformat.ts";
import { noteRun } from "./papermill.ts";
import { hasParametersCell, injectParameters, type Parameter, resolveParameters } from "./parameters.ts";
import type { NotebookEvent, NotebookJob, NotebookResult, RunnerSpec } from "./protocol.ts";
import { requireWritable, writeWhole } from "./save.ts";

/** What {@linkcode runJobs} takes beside the spec. */
export interface RunnerOptions {
  /** Interrupts what is running: it is saved as far as it came. */
  readonly signal: AbortSignal;
  /** Takes what happens. */
  readonly emit: (event: NotebookEvent) => void;
  /** The time in milliseconds since 1970. @default {Date.now} */
  readonly now?: () => number;
}

/** A notebook that has been checked and can be run. */
interface Prepared {
  readonly job: NotebookJob;
  readonly notebook: Notebook;
  readonly parameters: readonly Parameter[];
}

/** A notebook that is running is saved at most this often. */
const SAVE_INTERVAL_MS = 1000;

/**
 * Runs notebooks one after another. Each is saved when it ends, whatever way, and while it runs. All are
 * checked before the first one runs.
 *
 * @param spec the notebooks and their parameters
 * @param options interruption, events
 * @throws {MisuseError} a notebook cannot be read, is for another kernel, or lacks a given parameter;
 * nothing was run
 * @throws {CannotRunHereError} a folder takes no files, or the kernel does not start; nothing was run
 */
export async function runJobs(spec: RunnerSpec, options: RunnerOptions): Promise<void> {
  const { signal, emit, now = Date.now } = options;
  const prepared: Prepared[] = [];
  for (const job of spec.jobs) prepared.push(await prepare(job, spec));
  for (const { job } of prepared) requireTarget(job);
  for (const [index, one] of prepared.entries()) {
    if (signal.aborted) break;
    if (one.parameters.length > 0 && !hasParametersCell(one.notebook)) {
      emit({ type: "warning", name: one.job.name, warning: UNCHECKED });
    }
    const result = await run(one, spec, { signal, emit, now, first: index === 0 });
    for (const warning of result.warnings) emit({ type: "warning", name: result.name, warning });
    emit({ type: "saved", result });
  }
  emit({ type: "done" });
}

const UNCHECKED = {
  code: "no-parameters-cell",
  message: "The notebook has no cell tagged parameters: what was given stands on top, unchecked",
  remedy: "Tag the cell that declares the parameters with parameters",
};

async function prepare(job: NotebookJob, spec: RunnerSpec): Promise<Prepared> {
  const { name } = job;
  const notebook = parseNotebook(await read(job), name);
  requireDenoKernel(notebook, name);
  const quick = spec.quick ? quickValues(notebook) : {};
  const values = { ...quick, ...spec.values };
  const parameters = await resolveParameters(notebook, { values, texts: spec.texts ?? {} }, name);
  return { job, notebook, parameters };
}

async function read({ name, source }: NotebookJob): Promise<string> {
  try {
    return await Deno.readTextFile(source);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "there is no such file" : (error as Error).message;
    throw new MisuseError(`Cannot read notebook ${name} as ${why}`);
  }
}

function quickValues(notebook: Notebook): Record<string, Json> {
  const { connlab } = notebook.metadata as { connlab?: { quick?: Record<string, Json> } };
  return { ...connlab?.quick };
}

function requireTarget({ target }: NotebookJob): void {
  try {
    requireWritable(dirname(target));
  } catch (error) {
    throw new CannotRunHereError(
      `Cannot write to ${dirname(target)} as ${(error as Error).message}`,
      "Name another folder with --out",
    );
  }
}

async function run(
  { job, notebook, parameters }: Prepared,
  spec: RunnerSpec,
  options: Required<RunnerOptions> & { readonly first: boolean },
): Promise<NotebookResult> {
  const { signal, emit, now, first } = options;
  const { name, source, target } = job;
  const startedMs = now();
  const noted = (notebook: Notebook, endedMs: number | null, failed: boolean) =>
    serializeNotebook(noteRun(notebook, { parameters, startedMs, endedMs, failed }));
  const ended = (result: Pick<NotebookResult, "status" | "reason"> & Partial<NotebookResult>) => ({
    name,
    path: null,
    failure: null,
    durationMs: now() - startedMs,
    warnings: [],
    ...result,
  });
  let savedMs = startedMs;
  const onCell = ({ done, total, notebook }: CellProgress) => {
    emit({ type: "cell", name, done, total });
    if (now() - savedMs < SAVE_INTERVAL_MS) return;
    trySave(target, noted(notebook, null, false));
    savedMs = now();
  };
  let execution: Execution;
  try {
    execution = await executeNotebook(injectParameters(notebook, parameters), {
      cwd: dirname(source),
      signal,
      onCell,
      onLive: (text) => emit({ type: "live", name, text }),
      ...(spec.timeoutMs === null ? {} : { timeoutMs: spec.timeoutMs }),
    });
  } catch (error) {
    if (first) throw error;
    return ended({ status: "failed", reason: (error as Error).message });
  }
  const { status, failure, warnings } = execution;
  if (status === "interrupted" && failure === null) {
    return ended({ status, reason: "The run was interrupted before the first cell" });
  }
  const text = noted(execution.notebook, now(), status !== "complete");
  const problem = trySave(target, await formatted(text, target));
  if (problem !== null) return ended({ status: "failed", failure, warnings, reason: problem });
  const reason = failure && `Cell ${failure.cell}: ${failure.ename}: ${failure.evalue}`;
  return ended({ status, failure, warnings, reason, path: target });
}

/** Formats the cells, and has them end as `deno fmt --check` wants it. */
async function formatted(text: string, target: string): Promise<string> {
  return serializeNotebook(parseNotebook(await formatNotebook(text, dirname(target)), target));
}

/** Saves a notebook; why it cannot be saved, or `null`. */
function trySave(target: string, text: string): string | null {
  try {
    writeWhole(target, text);
    return null;
  } catch (error) {
    return `Cannot save notebook as ${target}: ${(error as Error).message}`;
  }
}
