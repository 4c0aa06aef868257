import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { colorsOf } from "./_colors.ts";
import { fit } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, type Layout, themed } from "./_layout.ts";
import type { Series } from "./series.ts";

/** What {@linkcode groupedPoints} draws. */
export interface GroupedPointsOptions extends Heading {
  /** What lies along x, such as the round. */
  readonly x: Axis;
  /** What was measured. */
  readonly y: Axis;
  /** The points, a series for each group. */
  readonly series: readonly Series[];
}

const MOST_WHOLE_TICKS = 12;

/** Ticks at whole numbers where all places are: there is no round two and a half. */
function wholeTicks(places: readonly number[]): Layout {
  if (!places.every(Number.isInteger)) return {};
  const first = places.reduce((least, place) => Math.min(least, place), Infinity);
  const last = places.reduce((most, place) => Math.max(most, place), -Infinity);
  return { tick0: first, dtick: Math.max(1, Math.ceil((last - first) / MOST_WHOLE_TICKS)) };
}

/** The same for what was measured, where it is a small count: larger ones have whole ticks anyway. */
function countTicks({ unit }: Axis, values: readonly number[]): Layout {
  const isSmall = unit === "1" &&
    values.every((value) => Number.isInteger(value) && value <= MOST_WHOLE_TICKS);
  return isSmall ? { tick0: 0, dtick: 1 } : {};
}

/**
 * Points in one colour a group, joined in their order: a measurement round by round, where both the
 * distance between variants and a drift can be seen.
 *
 * @param options heading, axes and points
 * @returns the figure
 * @throws {RangeError} there are no values, or a logarithmic axis would have to show 0 or less
 *
 * @example
 * ```ts
 * import { groupedPoints } from "./grouped_points.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = groupedPoints({
 *   title: "A new connection for each request takes longer in every round",
 *   x: { label: "Round", unit: "1" },
 *   y: { label: "Elapsed", unit: "ms" },
 *   series: [
 *     { name: "raw/new", x: [1, 2], y: [80, 82] },
 *     { name: "raw/shared", x: [1, 2], y: [21, 20] },
 *   ],
 * });
 * assertEquals(figure.data.map((trace) => trace.name), ["raw/new", "raw/shared"]);
 * ```
 */
export function groupedPoints(options: GroupedPointsOptions): Figure {
  const { x, y } = options;
  const { series, notes } = fit(options.title, options.series, { x, y });
  const places = series.flatMap(({ x }) => x);
  const values = series.flatMap(({ y }) => y);
  const colors = colorsOf(series.map(({ name }) => name));
  return {
    data: series.map(({ name, x, y }, index) => ({
      type: "scatter",
      mode: "lines+markers",
      name,
      x,
      y,
      line: { color: colors[index], width: 1.5 },
      marker: { color: colors[index], size: 8 },
    })),
    layout: themed(options, notes, {
      xaxis: { ...axisLayout(x, places), rangemode: "normal", ...wholeTicks(places) },
      yaxis: { ...axisLayout(y, values), ...countTicks(y, values) },
    }),
  };
}
