import type { Figure, Trace } from "../record/mod.ts";
import { colorsOf, inkOn } from "./_colors.ts";
import type { Heading } from "./heading.ts";
import { CATEGORY_AXIS, themed } from "./_layout.ts";

/** One cell of {@linkcode heatmap}. */
export interface HeatmapCell {
  /** The column that it stands in. */
  readonly x: string;
  /** The row that it stands in. */
  readonly y: string;
  /** What came out there: it decides the colour. */
  readonly outcome: string;
  /** What is written into it. @default {nothing} */
  readonly text?: string;
}

/** What an outcome looks like. */
export interface Outcome {
  /** What it is: it stands in the legend. */
  readonly name: string;
  /** Its colour, as `#RRGGBB`. @default {one of the palette} */
  readonly color?: string;
}

/** What {@linkcode heatmap} draws. */
export interface HeatmapOptions extends Heading {
  /** What the columns are. */
  readonly xLabel: string;
  /** The columns from left to right. */
  readonly columns: readonly string[];
  /** The rows from top to bottom. */
  readonly rows: readonly string[];
  /** The outcomes in the order of the legend. Those that no cell has are left out of it. */
  readonly outcomes: readonly Outcome[];
  /** The cells; a place that has none stays empty. */
  readonly cells: readonly HeatmapCell[];
}

const MOST_CELLS = 4000;
const ROW_PX = 26;
const GAP_PX = 2;
const LEGEND_PX = 60;

/** The cell at each place of the grid. */
function placed(options: HeatmapOptions): (HeatmapCell | undefined)[][] {
  const { title, columns, rows, outcomes, cells } = options;
  const grid = rows.map(() => new Array<HeatmapCell | undefined>(columns.length).fill(undefined));
  for (const cell of cells) {
    const [row, column] = [rows.indexOf(cell.y), columns.indexOf(cell.x)];
    if (row < 0 || column < 0) {
      throw new RangeError(`Cannot draw "${title}" as there is no place ${cell.x}, ${cell.y}`);
    }
    if (!outcomes.some(({ name }) => name === cell.outcome)) {
      throw new RangeError(`Cannot draw "${title}" as there is no outcome ${cell.outcome}`);
    }
    if (grid[row]![column] !== undefined) {
      throw new RangeError(`Cannot draw "${title}" as two cells are at ${cell.x}, ${cell.y}`);
    }
    grid[row]![column] = cell;
  }
  return grid;
}

/**
 * A grid of cells, each in the colour of what came out there, with the outcomes in the legend: where one
 * behaviour ends and another begins.
 *
 * @param options heading, columns, rows, outcomes and cells
 * @returns the figure
 * @throws {RangeError} there are no cells or more than 4,000, one is at no place or at that of another, or has
 * an outcome that is not listed
 *
 * @example
 * ```ts
 * import { heatmap } from "./heatmap.ts";
 * import { assertEquals } from "@std/assert";
 * const { data } = heatmap({
 *   title: "A pause of 3 s is too long",
 *   xLabel: "Pause",
 *   columns: ["1 s", "3 s"],
 *   rows: ["GET"],
 *   outcomes: [{ name: "answered" }, { name: "reset" }],
 *   cells: [{ x: "1 s", y: "GET", outcome: "answered" }, { x: "3 s", y: "GET", outcome: "reset" }],
 * });
 * assertEquals(data[0]?.z, [[0, 1]]);
 * ```
 */
export function heatmap(options: HeatmapOptions): Figure {
  const { title, xLabel, columns, rows, cells } = options;
  if (cells.length === 0) throw new RangeError(`Cannot draw "${title}" as there are no cells`);
  if (cells.length > MOST_CELLS) {
    throw new RangeError(`Cannot draw "${title}" as it may have ${MOST_CELLS} cells: it has ${cells.length}`);
  }
  const grid = placed(options);
  const seen = options.outcomes.filter(({ name }) => cells.some(({ outcome }) => outcome === name));
  const palette = colorsOf(seen.map(({ name }) => name));
  const colors = seen.map(({ color }, index) => color ?? palette[index]!);
  const indexOf = (cell: HeatmapCell) => seen.findIndex(({ name }) => name === cell.outcome);
  const cellsOfRows = grid.map((row) => row.map((cell) => cell === undefined ? null : indexOf(cell)));
  return {
    data: [
      {
        type: "heatmap",
        x: columns,
        y: rows,
        z: cellsOfRows,
        customdata: grid.map((row) => row.map((cell) => cell?.outcome ?? "")),
        hovertemplate: "%{y}<br>%{x}: %{customdata}<extra></extra>",
        colorscale: steps(colors),
        zmin: -0.5,
        zmax: seen.length - 0.5,
        showscale: false,
        xgap: GAP_PX,
        ygap: GAP_PX,
      },
      ...seen.map(({ name }, index) => legendEntry(name, colors[index]!)),
    ],
    layout: themed(options, [], {
      height: 190 + LEGEND_PX + rows.length * ROW_PX,
      xaxis: { ...CATEGORY_AXIS, title: { text: xLabel, standoff: 10 }, tickangle: 0, showgrid: false },
      yaxis: { ...CATEGORY_AXIS, autorange: "reversed", showgrid: false },
      showlegend: true,
      legend: {
        ...{ traceorder: "normal", orientation: "h", x: 0, xanchor: "left" },
        ...{ yref: "container", y: 0.01, yanchor: "bottom" },
      },
      annotations: grid.flatMap((row) =>
        row.flatMap((cell) =>
          cell?.text === undefined ? [] : [{
            x: cell.x,
            y: cell.y,
            text: cell.text,
            showarrow: false,
            font: { size: 11, color: inkOn(colors[indexOf(cell)]!) },
          }]
        )
      ),
    }),
  };
}

/** A colour scale with one flat step for each colour. */
function steps(colors: readonly string[]): [number, string][] {
  return colors.flatMap((color, index): [number, string][] => [
    [index / colors.length, color],
    [(index + 1) / colors.length, color],
  ]);
}

/** A square in the legend: a heat map has no entries of its own there. */
function legendEntry(name: string, color: string): Trace {
  return {
    type: "scatter",
    mode: "markers",
    name,
    x: [null],
    y: [null],
    marker: { color, symbol: "square", size: 12 },
  };
}
