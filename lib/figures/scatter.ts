import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { colorsOf } from "./_colors.ts";
import { fit } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, themed } from "./_layout.ts";
import type { Series } from "./series.ts";

/** Points of one colour, or a line through them. */
export interface ScatterSeries extends Series {
  /** What is drawn: each point, such as one measurement, or a line, such as what a model says. @default {"points"} */
  readonly as?: "points" | "line";
  /** The name of the series whose colour it has, such as the one that it is the model of. @default {its own colour} */
  readonly like?: string;
}

/** What {@linkcode scatter} draws. */
export interface ScatterOptions extends Heading {
  /** What lies along x. */
  readonly x: Axis;
  /** What was measured. */
  readonly y: Axis;
  /** The points, a series for each colour. Their names differ. */
  readonly series: readonly ScatterSeries[];
}

/**
 * Many measurements as points that are not joined, so that two levels among them are seen as two, with lines beside
 * them for what is expected.
 *
 * @param options heading, axes and points
 * @returns the figure
 * @throws {RangeError} there are no values, or a logarithmic axis would have to show 0 or less
 *
 * @example
 * ```ts
 * import { scatter } from "./scatter.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = scatter({
 *   title: "From half of the range on, connect() takes twenty times as long",
 *   x: { label: "Connect", unit: "1" },
 *   y: { label: "Time", unit: "ms", scale: "log" },
 *   series: [
 *     { name: "even", x: [0, 1], y: [0.013, 0.014] },
 *     { name: "odd", x: [2, 3], y: [0.27, 0.26] },
 *     { name: "model", x: [0, 3], y: [0.013, 0.26], as: "line" },
 *   ],
 * });
 * assertEquals(figure.data.map(({ mode }) => mode), ["markers", "markers", "lines"]);
 * ```
 */
export function scatter(options: ScatterOptions): Figure {
  const { x, y } = options;
  const { series, notes } = fit(options.title, options.series, { x, y });
  const given = new Map(options.series.map((one) => [one.name, one]));
  const lines = new Set(options.series.filter((one) => one.as === "line").map(({ name }) => name));
  const likes = series.map(({ name }) => given.get(name)!.like ?? name);
  const groups = [...new Set(likes)];
  const palette = colorsOf(groups);
  const colors = likes.map((like) => palette[groups.indexOf(like)]);
  return {
    data: series.map(({ name, x, y }, index) => ({
      type: "scatter",
      mode: lines.has(name) ? "lines" : "markers",
      name,
      x,
      y,
      ...(lines.has(name)
        ? { line: { color: colors[index], width: 2 } }
        : { marker: { color: colors[index], size: 4 } }),
    })),
    layout: themed(options, notes, {
      xaxis: axisLayout(x, series.flatMap(({ x }) => x)),
      yaxis: axisLayout(y, series.flatMap(({ y }) => y)),
      showlegend: true,
      legend: { traceorder: "normal", itemsizing: "constant" },
    }),
  };
}
