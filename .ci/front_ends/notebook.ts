import type { Workspace } from "./workspace.ts";

/** The notebook that the front ends are tried with. */
export const COMMITTED = "notebooks/01_handshake_cost.ipynb";

/** The same with its quick parameters and without outputs, beside it in a workspace: see {@linkcode runOurs}. */
export const QUICK = "notebooks/quick.ipynb";

/** The MIME type by which an output is known to be a figure. */
const FIGURE = "application/vnd.plotly.v1+json";

/** An output of a cell, as nbformat 4 has it. */
export interface Output {
  readonly output_type: string;
  readonly name?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A cell, as nbformat 4 has it. */
export interface Cell {
  readonly id: string;
  readonly cell_type: string;
  readonly metadata: { readonly tags?: readonly string[] };
  readonly outputs?: readonly Output[];
}

/** A notebook, as nbformat 4 has it. */
export interface Notebook {
  readonly cells: readonly Cell[];
}

/** What a person sees of a code cell without its numbers: its id, and the kind of each output in order. */
export interface Outline {
  readonly id: string;
  /** The output's type and its MIME types. */
  readonly outputs: readonly string[];
}

/** Reads a notebook. */
export async function readNotebook(path: string): Promise<Notebook> {
  return JSON.parse(await Deno.readTextFile(path));
}

const isCode = ({ cell_type }: Cell) => cell_type === "code";
const hasTag = ({ metadata }: Cell, tag: string) => metadata.tags?.includes(tag) ?? false;

/**
 * The outline of each code cell, but for the one that carries parameters from outside.
 *
 * @param notebook a notebook that was executed
 */
export function outline({ cells }: Notebook): Outline[] {
  return cells
    .filter((cell) => isCode(cell) && !hasTag(cell, "injected-parameters"))
    .map(({ id, outputs = [] }) => ({ id, outputs: outputs.map(kind) }));
}

function kind({ output_type, name, data = {} }: Output): string {
  return [output_type, name, ...Object.keys(data).sort()].filter((part) => part !== undefined).join(" ");
}

/** How many outputs each code cell has, in order. */
export function outputCounts({ cells }: Notebook): number[] {
  return cells.filter(isCode).map(({ outputs = [] }) => outputs.length);
}

/** How many figures each code cell shows, in order. */
export function figureCounts({ cells }: Notebook): number[] {
  return cells.filter(isCode).map(({ outputs = [] }) =>
    outputs.filter(({ data }) => data && FIGURE in data).length
  );
}

/** How many figures a notebook shows. */
export function figuresOf(notebook: Notebook): number {
  return figureCounts(notebook).reduce((sum, count) => sum + count, 0);
}

/**
 * Executes the committed notebook with its quick parameters as `lab notebook run` does, and puts the same
 * without its outputs at {@linkcode QUICK}, for front ends to execute.
 *
 * @returns what every front end is held against
 */
export async function runOurs(workspace: Workspace): Promise<Notebook> {
  await workspace.run(["deno", "task", "lab", "notebook", "run", COMMITTED, "--quick", "--out", "out"]);
  const ours = await readNotebook(`${workspace.root}/out/${COMMITTED.split("/").at(-1)}`);
  const cells = ours.cells.map((cell) =>
    isCode(cell) ? { ...cell, execution_count: null, outputs: [] } : cell
  );
  await Deno.writeTextFile(`${workspace.root}/${QUICK}`, JSON.stringify({ ...ours, cells }));
  return ours;
}
