import type { Figure, Row, TableData } from "../record/mod.ts";
import {
  assertDrawable,
  type Edition,
  type Grid,
  gridHtml,
  gridText,
  loaderBundle,
  mimeBundle,
  numberText,
  runGrids,
} from "../render/mod.ts";
import { display, inNotebook, type MimeBundle } from "./display.ts";
import { Run } from "./run.ts";

const MOST_ROWS = 20;

/** What {@linkcode show} takes. */
export type Showable = Run | Figure | TableData | readonly Row[] | { readonly [key: symbol]: unknown };

/** The editions of plotly.js that this kernel has put into the notebook. */
const carried = new Set<Edition>();

/**
 * Shows a run (its summary, claims and warnings as tables), a figure (of a run or a plotly figure of
 * one's own, interactive and as a picture), the rows of a table, or any object that knows how to display
 * itself, in the current cell; in a program, as text on standard output.
 *
 * @param thing what to show
 * @throws {TypeError} it is none of these, or a figure with a trace that cannot be drawn
 *
 * @example
 * ```ts ignore
 * const run = await lab.run("handshake-cost", { requests: 500 });
 * await show(run);
 * await show(run.figure("elapsed"));
 * ```
 */
export async function show(thing: Showable): Promise<void> {
  if (isFigure(thing)) {
    const bundle = await mimeBundle(thing);
    const edition = assertDrawable(thing);
    if (!carried.has(edition) && !carried.has("full")) await carryPlotly(edition);
    return await display(bundle);
  }
  await display(await bundleOf(thing));
}

/**
 * Puts plotly.js into the notebook, in an output of its own, so that figures are interactive without a
 * network. In the first cell, because a figure's own cell may be run again or deleted.
 *
 * @param edition which edition: the full one draws everything
 */
export async function carryPlotly(edition: Edition): Promise<void> {
  if (!inNotebook()) return;
  carried.add(edition);
  await display(await loaderBundle({ edition }));
}

async function bundleOf(thing: Exclude<Showable, Figure>): Promise<MimeBundle> {
  if (thing instanceof Run) return gridsBundle(`${thing.id} (${thing.status})`, runGrids(thing));
  if (isTable(thing)) return gridsBundle(null, [rowGrid(thing.name, thing.rows(), thing.length)]);
  if (Array.isArray(thing)) return gridsBundle(null, [rowGrid("rows", thing.values(), thing.length)]);
  const own = (thing as Record<symbol, unknown> | null | undefined)?.[Symbol.for("Jupyter.display")];
  if (typeof own === "function") return await own.call(thing);
  throw new TypeError(
    "Cannot show this value: show takes a run, a figure ({ data, layout }), rows, or an object with Jupyter.display",
  );
}

function isFigure(thing: unknown): thing is Figure {
  const figure = thing as Partial<Figure> | null | undefined;
  return Array.isArray(figure?.data) && typeof figure.layout === "object" && figure.layout !== null;
}

function isTable(thing: unknown): thing is TableData {
  const table = thing as Partial<TableData> | null | undefined;
  return typeof table?.rows === "function" && typeof table.length === "number" &&
    typeof table.name === "string";
}

function gridsBundle(heading: string | null, grids: readonly Grid[]): MimeBundle {
  const caption = (grid: Grid) =>
    heading === null ? grid : { ...grid, caption: `${heading}: ${grid.caption}` };
  const shown = grids.map((grid, index) => index === 0 ? caption(grid) : grid);
  return {
    "text/html": shown.map(gridHtml).join(""),
    "text/plain": shown.map(gridText).join("\n\n"),
  };
}

/** The first rows of a table, and how many there are in all. */
function rowGrid(name: string, rows: Iterator<Row>, length: number): Grid {
  const shown: Row[] = [];
  while (shown.length < MOST_ROWS) {
    const { done, value } = rows.next();
    if (done) break;
    shown.push(value);
  }
  const head = [...new Set(shown.flatMap((row) => Object.keys(row)))];
  const isNumber = (column: string) => shown.some((row) => typeof row[column] === "number");
  const text = (cell: unknown) =>
    cell === null || cell === undefined ? "" : typeof cell === "number" ? numberText(cell) : String(cell);
  return {
    caption: `${name}: ${length} rows${length > shown.length ? `, the first ${shown.length}` : ""}`,
    head,
    rows: shown.map((row) => head.map((column) => text(row[column]))),
    numeric: [...head.keys()].filter((index) => isNumber(head[index]!)),
    notes: [],
  };
}
