import { escapeHtml } from "./escape_html.ts";
import { printable } from "./printable.ts";

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
 * @returns the lines, with every text printable and on one of them
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
  const table = [grid.head, ...grid.rows].map((cells) => cells.map(printable));
  const widths = grid.head.map((_, index) => Math.max(...table.map((cells) => cells[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) =>
      grid.numeric.includes(index) ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)
    )
      .join("  ").trimEnd();
  const notes = grid.notes.map((note) => `  ${printable(note)}`);
  return [printable(grid.caption), ...table.map((cells) => `  ${line(cells)}`), ...notes].join("\n");
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
