/** A small table of text for people. */
export interface Grid {
  /** What it shows. */
  readonly caption: string;
  /** The heads of its columns. */
  readonly head: readonly string[];
  /** Its rows, a text a column. */
  readonly rows: readonly (readonly string[])[];
  /** Columns that are aligned to the right, because they hold numbers. */
  readonly numeric: readonly number[];
  /** Remarks below it. */
  readonly notes: readonly string[];
}

/**
 * A grid as plain text.
 *
 * @param grid the grid
 * @returns the lines
 *
 * @example
 * ```ts
 * import { gridText } from "./grid.ts";
 * import { assertEquals } from "@std/assert";
 * const grid = { caption: "Ports", head: ["port", "n"], rows: [["80", "5"]], numeric: [1], notes: [] };
 * assertEquals(gridText(grid), "Ports\n  port  n\n  80    5");
 * ```
 */
export function gridText(grid: Grid): string {
  const widths = grid.head.map((head, index) =>
    Math.max(head.length, ...grid.rows.map((row) => (row[index] ?? "").length))
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) =>
      grid.numeric.includes(index) ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)
    )
      .join("  ").trimEnd();
  const lines = [grid.head, ...grid.rows].map((cells) => `  ${line(cells)}`);
  return [grid.caption, ...lines, ...grid.notes.map((note) => `  ${note}`)].join("\n");
}

/**
 * A grid as an HTML table that needs no style sheet and no script.
 *
 * @param grid the grid
 * @returns the markup, with every text escaped
 */
export function gridHtml(grid: Grid): string {
  const align = (index: number) => grid.numeric.includes(index) ? "right" : "left";
  const cells = (tag: "th" | "td", texts: readonly string[]) =>
    texts.map((text, index) => `<${tag} style="text-align:${align(index)}">${escapeHtml(text)}</${tag}>`)
      .join("");
  const notes = grid.notes.map((note) => `<p><small>${escapeHtml(note)}</small></p>`).join("");
  return `<table><caption style="text-align:left">${escapeHtml(grid.caption)}</caption>` +
    `<thead><tr>${cells("th", grid.head)}</tr></thead>` +
    `<tbody>${grid.rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("")}</tbody></table>${notes}`;
}

/**
 * Text as HTML shows it.
 *
 * @param text any text
 * @returns the text with the characters escaped that mean something in HTML
 */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
