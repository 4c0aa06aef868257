import { type Json, MisuseError } from "../../record/mod.ts";

/** An object of JSON. */
export type JsonObject = { [key: string]: Json | undefined };

/** An output that a cell wrote line by line. */
export interface StreamOutput {
  /** What kind of output it is. */
  output_type: "stream";
  /** Which stream. */
  name: "stdout" | "stderr";
  /** The text. */
  text: string;
}

/** An output in several MIME types: something shown, or the value of a cell's last expression. */
export interface DataOutput {
  /** What kind of output it is. */
  output_type: "display_data" | "execute_result";
  /** The content by MIME type. */
  data: JsonObject;
  /** What front ends should know of it, by MIME type. */
  metadata: JsonObject;
  /** The number of the execution, for a value. */
  execution_count?: number | null;
}

/** An error that a cell ended with. */
export interface ErrorOutput {
  /** What kind of output it is. */
  output_type: "error";
  /** The name of its class. */
  ename: string;
  /** Its message. */
  evalue: string;
  /** What a person reads, a line each. */
  traceback: string[];
}

/** What a cell showed. */
export type Output = StreamOutput | DataOutput | ErrorOutput;

/** What every cell has. */
export interface CellBase {
  /** Its id, unique in the notebook. */
  id: string;
  /** What tools know of it, its tags among that. */
  metadata: JsonObject;
  /** Its text. */
  source: string;
}

/** A cell that can be executed. */
export interface CodeCell extends CellBase {
  /** What kind of cell it is. */
  cell_type: "code";
  /** The number of its execution; `null` when it was not executed. */
  execution_count: number | null;
  /** What it showed. */
  outputs: Output[];
}

/** A cell of text. */
export interface TextCell extends CellBase {
  /** What kind of cell it is. */
  cell_type: "markdown" | "raw";
}

/** A cell of a notebook. */
export type Cell = CodeCell | TextCell;

/**
 * A notebook, in the format 4.5. What its file holds beyond these fields is kept.
 *
 * Source: https://nbformat.readthedocs.io/en/latest/format_description.html
 */
export interface Notebook {
  /** Its cells, in order. */
  cells: Cell[];
  /** What tools know of it, the kernel among that. */
  metadata: JsonObject;
  /** The format. */
  nbformat: 4;
  /** The minor version of the format. */
  nbformat_minor: number;
}

const MINOR = 5;
const CELL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Reads a notebook of the format 4. Older minor versions are brought to 4.5: every cell gets an id.
 *
 * @param text the content of the file
 * @param name the name of the file, for messages
 * @returns the notebook
 * @throws {MisuseError} it is not JSON, or not a notebook of the format 4
 */
export function parseNotebook(text: string, name: string): Notebook {
  const refuse = (why: string) => new MisuseError(`Cannot read notebook ${name} as ${why}`);
  let raw: unknown;
  try {
    raw = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw refuse(`it is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(raw) || !Number.isInteger(raw.nbformat)) throw refuse("it is JSON but not a notebook");
  if (raw.nbformat !== 4) {
    throw refuse(
      `its nbformat must be 4: current value is ${raw.nbformat}, open and save it with a present Jupyter`,
    );
  }
  if (!Array.isArray(raw.cells)) throw refuse("it has no list of cells");
  const ids = cellIds(raw.cells);
  const cells = raw.cells.map((cell, index) => readCell(cell, index, ids[index]!, refuse));
  return {
    ...raw,
    cells,
    metadata: isObject(raw.metadata) ? raw.metadata : {},
    nbformat: 4,
    nbformat_minor: Math.max(MINOR, Number(raw.nbformat_minor) || 0),
  };
}

/**
 * Makes sure that a notebook is for the Deno kernel. One that names no kernel is taken.
 *
 * @param notebook the notebook
 * @param name the name of the file, for the message
 * @throws {MisuseError} it is for another kernel
 */
export function requireDenoKernel(notebook: Notebook, name: string): void {
  const { kernelspec, language_info } = notebook.metadata;
  const { name: id, display_name } = (isObject(kernelspec) ? kernelspec : {}) as KernelNames;
  const { name: language } = (isObject(language_info) ? language_info : {}) as KernelNames;
  const named = id !== undefined || display_name !== undefined;
  const ours = named
    ? [id, display_name].some((one) => /\bdeno\b/i.test(one ?? ""))
    : language === undefined || language === "typescript";
  if (ours) return;
  const found = named ? `${display_name ?? id} (${id ?? "unnamed"})` : `a kernel for ${language}`;
  throw new MisuseError(`Cannot run notebook ${name} as its kernel must be Deno: current value is ${found}`);
}

interface KernelNames {
  readonly name?: string;
  readonly display_name?: string;
}

/**
 * Notes in a notebook's metadata which kernel ran it, as front ends do. Without the language `deno fmt`
 * passes over the code.
 *
 * @param notebook the notebook
 * @param languageInfo what the kernel tells of its language
 * @returns another notebook, with the note
 */
export function noteKernel(notebook: Notebook, languageInfo: JsonObject): Notebook {
  const kernelspec = notebook.metadata.kernelspec ??
    { display_name: "Deno", language: "typescript", name: "deno" };
  return { ...notebook, metadata: { ...notebook.metadata, kernelspec, language_info: languageInfo } };
}

/**
 * A notebook as the text of its file, as Jupyter writes it: keys in order, text as arrays of lines.
 *
 * Code and markdown end with a line break, which Jupyter leaves out: `deno fmt --check` takes no other.
 *
 * @param notebook the notebook
 * @returns the text
 */
export function serializeNotebook(notebook: Notebook): string {
  const cells = notebook.cells.map((cell) => {
    const ended = cell.cell_type === "raw" || cell.source === "" || cell.source.endsWith("\n");
    const written = { ...cell, source: lines(ended ? cell.source : `${cell.source}\n`) };
    return cell.cell_type === "code" ? { ...written, outputs: cell.outputs.map(writeOutput) } : written;
  });
  return `${JSON.stringify(sorted({ ...notebook, cells }), null, 1)}\n`;
}

/**
 * The tags of a cell.
 *
 * @param cell the cell
 * @returns its tags
 */
export function tagsOf(cell: Cell): readonly string[] {
  const { tags } = cell.metadata;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

function readCell(
  raw: unknown,
  index: number,
  id: string,
  refuse: (why: string) => MisuseError,
): Cell {
  const wrong = (what: string) => refuse(`cell ${index + 1} has ${what}`);
  if (!isObject(raw)) throw refuse(`cell ${index + 1} is not an object`);
  const type = raw.cell_type;
  if (type !== "code" && type !== "markdown" && type !== "raw") {
    throw wrong("no cell_type, which must be code, markdown or raw");
  }
  const source = joined(raw.source);
  if (source === null) throw wrong("no source, which must be text or a list of lines");
  const metadata = isObject(raw.metadata) ? raw.metadata : {};
  const base = { ...raw, id, metadata, source };
  if (type !== "code") return { ...base, cell_type: type };
  const count = Number.isInteger(raw.execution_count) ? raw.execution_count as number : null;
  if (raw.outputs !== undefined && !Array.isArray(raw.outputs)) throw wrong("outputs that are not a list");
  const outputs = (raw.outputs ?? []).map((output: unknown) => {
    if (!isObject(output) || typeof output.output_type !== "string") throw wrong("an output without a type");
    return readOutput(output);
  });
  return { ...base, cell_type: type, execution_count: count, outputs };
}

/** The cells' own ids; a cell without one, or with one that is taken, gets one after its place. */
function cellIds(cells: readonly unknown[]): string[] {
  const taken = new Set<string>();
  const own = cells.map((cell) => {
    const id = isObject(cell) ? cell.id : undefined;
    if (typeof id !== "string" || !CELL_ID.test(id) || taken.has(id)) return null;
    taken.add(id);
    return id;
  });
  return own.map((id, index) => {
    if (id !== null) return id;
    let free = `cell-${index + 1}`;
    for (let suffix = 2; taken.has(free); suffix++) free = `cell-${index + 1}-${suffix}`;
    taken.add(free);
    return free;
  });
}

function readOutput(raw: JsonObject): Output {
  if (raw.output_type === "stream") return { ...raw, text: joined(raw.text) ?? "" } as StreamOutput;
  if (!isObject(raw.data)) return raw as unknown as Output;
  const data = Object.entries(raw.data).map(([type, value]) => [type, isLines(type) ? joined(value) : value]);
  return { ...raw, data: Object.fromEntries(data) } as DataOutput;
}

function writeOutput(output: Output): unknown {
  if (output.output_type === "stream") return { ...output, text: lines(output.text) };
  if (output.output_type === "error" || !isObject(output.data)) return output;
  const data = Object.entries(output.data).map((
    [type, value],
  ) => [type, isLines(type) && typeof value === "string" ? lines(value) : value]);
  return { ...output, data: Object.fromEntries(data) };
}

/** Whether a MIME type is text that nbformat writes as an array of lines. */
function isLines(type: string): boolean {
  return type.startsWith("text/") || type === "image/svg+xml" || type === "application/javascript";
}

function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function joined(text: unknown): string | null {
  if (typeof text === "string") return text;
  return Array.isArray(text) && text.every((line) => typeof line === "string") ? text.join("") : null;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
