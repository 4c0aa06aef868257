import { basename, dirname, join, resolve } from "node:path";
import { allow, CONFIG_PATH, describeEnd, LAB_PATH, Program, toError } from "../../harness/mod.ts";
import { MisuseError } from "../../record/mod.ts";
import { findProjectRoot } from "../../store/mod.ts";
import type { NotebookStatus } from "./execute.ts";
import type { GivenParameters } from "./parameters.ts";
import type { NotebookEvent, NotebookJob, NotebookResult, RunnerSpec } from "./protocol.ts";

/** The notebooks that {@linkcode runNotebooks} runs. */
export interface NotebooksRequest extends GivenParameters {
  /** Their files, in order. */
  readonly files: readonly string[];
  /** The folder for their executed forms. @default {`out` under the project's root} */
  readonly outDirectory?: string;
  /** Whether the executed form replaces the notebook itself. @default {false} */
  readonly inPlace?: boolean;
  /** Whether each notebook's own quick values are taken, but for those that are given. @default {false} */
  readonly quick?: boolean;
  /** How long a cell may take, in milliseconds. @default {what the notebook says, else ten minutes} */
  readonly timeoutMs?: number;
}

/** What {@linkcode runNotebooks} takes beside the request. */
export interface RunNotebooksOptions {
  /** Interrupts the run when it aborts: what was executed is saved. */
  readonly signal?: AbortSignal;
  /** Takes what happens. */
  readonly onEvent?: (event: NotebookEvent) => void;
}

/** What became of the notebooks. */
export interface NotebooksOutcome {
  /** `failed` when any failed, `interrupted` when the run was interrupted. */
  readonly status: NotebookStatus;
  /** The notebooks that were run, in order. */
  readonly notebooks: readonly NotebookResult[];
}

const RUNNER = new URL("../headless_main.ts", import.meta.url);

/**
 * Runs notebooks without a front end, one after another, in processes of their own: the notebook, executed,
 * is saved whatever way it ends, and no process is left behind.
 *
 * Needs `--allow-read` and `--allow-run=deno`.
 *
 * @param request the notebooks, their parameters, and where they go
 * @param options interruption, events
 * @returns what became of each
 * @throws {MisuseError} the request cannot be carried out as it was put; nothing was run
 * @throws {CannotRunHereError} this machine cannot carry it out; nothing was run
 */
export async function runNotebooks(
  request: NotebooksRequest,
  options: RunNotebooksOptions = {},
): Promise<NotebooksOutcome> {
  const { signal, onEvent } = options;
  const { quick = false, timeoutMs = null, values = {}, texts = {} } = request;
  const jobs = planJobs(request, Deno.cwd());
  const spec: RunnerSpec = { jobs, values, texts, quick, timeoutMs };
  await using runner = new Program(RUNNER, { config: CONFIG_PATH, permissions: runnerRights(jobs) });
  const stop = () => void runner.stop();
  signal?.addEventListener("abort", stop);
  const notebooks: NotebookResult[] = [];
  let current: string | null = null;
  try {
    await runner.send(spec);
    if (signal?.aborted) stop();
    for await (const message of runner.messages()) {
      const event = message as unknown as NotebookEvent;
      onEvent?.(event);
      if (event.type === "refused") throw toError(event);
      if (event.type === "done") return { status: statusOf(notebooks, jobs, signal), notebooks };
      if (event.type === "cell") current = event.name;
      if (event.type === "saved") {
        notebooks.push(event.result);
        current = null;
      }
    }
    const how = describeEnd(await runner.ended);
    throw new Error(`Cannot run ${current ?? "notebooks"} to the end as the runner ${how}`);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Where each notebook's executed form goes.
 *
 * @param request the notebooks
 * @param cwd the folder that paths are relative to
 * @returns a job a notebook
 * @throws {MisuseError} two would be written to one file, or one over its source
 */
export function planJobs(request: NotebooksRequest, cwd: string): NotebookJob[] {
  const { files, outDirectory, inPlace = false } = request;
  if (files.length === 0) throw new MisuseError("Cannot run notebooks as none is named");
  const out = outDirectory === undefined
    ? join(findProjectRoot(cwd) ?? cwd, "out")
    : resolve(cwd, outDirectory);
  const jobs = files.map((name) => {
    const source = resolve(cwd, name);
    return { name, source, target: inPlace ? source : join(out, basename(source)) };
  });
  const takers = new Map<string, string>();
  for (const { name, source, target } of jobs) {
    if (!inPlace && source === target) {
      throw new MisuseError(
        `Cannot run notebook ${name} as its executed form would replace it: use --inplace, or another --out`,
      );
    }
    const other = takers.get(target);
    if (other !== undefined) {
      throw new MisuseError(
        `Cannot run ${other} and ${name} together as both would be saved as ${basename(target)}: ` +
          "run them one after another, with another --out each",
      );
    }
    takers.set(target, name);
  }
  return jobs;
}

/**
 * The rights of the runner: it reads the notebooks, writes their executed forms, speaks to the kernel, and
 * starts Deno. What the cells may do is another matter: the kernel has every right.
 */
function runnerRights(jobs: readonly NotebookJob[]): string[] {
  const read = [LAB_PATH, ...jobs.flatMap(({ source, target }) => [dirname(source), dirname(target)])];
  const write = jobs.map(({ target }) => dirname(target));
  return [...allow("read", read), ...allow("write", write), "--allow-net=127.0.0.1", "--allow-run=deno"];
}

function statusOf(
  notebooks: readonly NotebookResult[],
  jobs: readonly NotebookJob[],
  signal: AbortSignal | undefined,
): NotebookStatus {
  const cutShort = notebooks.length < jobs.length || notebooks.some(({ status }) => status === "interrupted");
  if (signal?.aborted && cutShort) return "interrupted";
  return notebooks.some(({ status }) => status !== "complete") ? "failed" : "complete";
}
