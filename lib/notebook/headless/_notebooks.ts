import type { CodeCell, JsonObject, Notebook } from "./nbformat.ts";

/** A code cell of a test. */
export function code(source: string, tags: readonly string[] = []): CodeCell {
  return {
    cell_type: "code",
    id: crypto.randomUUID().slice(0, 8),
    metadata: tags.length > 0 ? { tags: [...tags] } : {},
    source,
    execution_count: null,
    outputs: [],
  };
}

/** A notebook of a test. */
export function notebookOf(cells: Notebook["cells"], metadata: JsonObject = {}): Notebook {
  return { cells, metadata, nbformat: 4, nbformat_minor: 5 };
}

/** A cell that shows the ids of the kernel's processes: itself and its guard. */
export const PIDS = "console.log(JSON.stringify([Deno.pid, Deno.ppid]));";

/** The ids that a cell with {@linkcode PIDS} has shown. */
export function pidsIn(cell: Notebook["cells"][number] | undefined): number[] {
  const output = cell?.cell_type === "code" ? cell.outputs[0] : undefined;
  if (output?.output_type !== "stream") throw new Error("The cell shows no process ids");
  return JSON.parse(output.text);
}
