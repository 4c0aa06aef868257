import type { Unit } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { COLORWAY } from "./_colors.ts";
import type { Heading } from "./heading.ts";

const INK = "#222222";
/** The colour of what stands back behind the data. */
export const FAINT = "#595959";
const GRID = "#E3E3E3";
const FONT = "DejaVu Sans, Verdana, sans-serif";
// As many characters as fit beside plotly's tool bar, in a figure 760 pixels wide.
const TITLE_COLUMNS = 66;
const SUBTITLE_COLUMNS = 100;
const TITLE_LINE_PX = 21;
const SUBTITLE_LINE_PX = 16;

/** Plotly's layout or a part of it. */
export type Layout = Readonly<Record<string, unknown>>;

/** Breaks text into lines, as plotly does not. */
function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** A unit as a figure shows it. */
export const UNIT_LABELS: Readonly<Record<Unit, string>> = {
  "ms": "ms",
  "By": "bytes",
  "1": "",
  "1/s": "per second",
};

/**
 * An axis in the theme.
 *
 * @param axis what it shows
 * @param values the numbers along it
 */
export function axisLayout({ label, unit, scale = "linear" }: Axis, values: readonly number[]): Layout {
  return {
    title: { text: unit === "1" ? label : `${label} (${UNIT_LABELS[unit]})`, standoff: 12 },
    type: scale,
    automargin: true,
    gridcolor: GRID,
    linecolor: FAINT,
    showline: true,
    ticks: "outside",
    tickcolor: FAINT,
    zeroline: false,
    separatethousands: true,
    exponentformat: "none",
    ...(scale === "linear" ? { rangemode: "tozero" } : logTicks(values)),
  };
}

/** An axis of names in the theme. */
export const CATEGORY_AXIS: Layout = {
  type: "category",
  automargin: true,
  linecolor: FAINT,
  showline: true,
  ticklabelstandoff: 6,
};

/**
 * Ticks of a logarithmic axis that state whole numbers: plotly writes a lone `5` halfway between 0.1 and 1.
 *
 * @param values what the axis shows, above 0
 */
export function logTicks(values: readonly number[]): Layout {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const digits = to - from > 4 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let exponent = from; exponent <= to; exponent++) {
    ticks.push(...digits.map((digit) => Number(`${digit}e${exponent}`)));
  }
  // Within a narrow range there is none of these, and plotly's own ticks are whole numbers.
  if (ticks.filter((tick) => tick >= low && tick <= high).length < 2) return {};
  return {
    tickvals: ticks,
    ticktext: ticks.map((tick) => tick.toLocaleString("en", { maximumFractionDigits: 9 })),
  };
}

/**
 * The heading of a figure, with the room above the plot that it takes.
 *
 * @param titleLines the lines of the title
 * @param small what stands below it, such as a subtitle and notes
 */
export function headed(
  titleLines: readonly string[],
  small: readonly string[],
): { readonly title: Layout; readonly topPx: number } {
  const smallLines = small.length === 0 ? [] : wrap(small.join(" · "), SUBTITLE_COLUMNS);
  const title = {
    text: `<b>${titleLines.join("<br>")}</b>`,
    font: { size: 16, color: INK },
    x: 0,
    xref: "container",
    xanchor: "left",
    y: 1,
    yref: "container",
    yanchor: "top",
    // Plotly lets a title of several lines grow upwards, out of the figure.
    pad: { l: 16, t: 16 + (titleLines.length - 1) * TITLE_LINE_PX },
    ...(smallLines.length === 0
      ? {}
      : { subtitle: { text: smallLines.join("<br>"), font: { size: 12, color: FAINT } } }),
  };
  const belowPx = smallLines.length === 0 ? 0 : smallLines.length * SUBTITLE_LINE_PX + 12;
  return { title, topPx: 34 + titleLines.length * TITLE_LINE_PX + belowPx };
}

/**
 * The layout of every figure: heading at the upper left, legend at the right, light grid.
 *
 * @param heading what stands over it
 * @param notes what a reader has to know of what is not drawn
 * @param rest axes and whatever else a figure needs
 */
export function themed({ title, subtitle }: Heading, notes: readonly string[], rest: Layout): Layout {
  const small = subtitle === undefined ? notes : [subtitle, ...notes];
  const heading = headed(wrap(title, TITLE_COLUMNS), small);
  return {
    title: heading.title,
    font: { family: FONT, size: 12, color: INK },
    colorway: COLORWAY,
    paper_bgcolor: "#FFFFFF",
    plot_bgcolor: "#FFFFFF",
    height: 440,
    margin: {
      l: 72,
      r: 24,
      t: heading.topPx,
      b: 56,
    },
    legend: { traceorder: "normal" },
    hoverlabel: { font: { family: FONT, size: 12 } },
    ...rest,
  };
}
