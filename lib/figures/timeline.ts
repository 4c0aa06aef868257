import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { fit } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, FAINT, type Layout, themed } from "./_layout.ts";
import { stepTraces } from "./_steps.ts";

/** A quantity over time. */
export interface TimeSeries {
  /** What it is: it stands in the legend and decides the colour. */
  readonly name: string;
  /** When each value was seen, in milliseconds, ascending. */
  readonly timesMs: ArrayLike<number>;
  /** The values. Each holds until the next one. */
  readonly values: ArrayLike<number>;
}

/** Something that happened at one time. */
export interface TimeMark {
  /** When, in milliseconds. */
  readonly atMs: number;
  /** What, in a few words. */
  readonly text: string;
}

/** What {@linkcode timeline} draws. */
export interface TimelineOptions extends Heading {
  /** What the time counts from. @default {"Time since the run began"} */
  readonly timeLabel?: string;
  /** What was counted. */
  readonly y: Axis;
  /** The quantities. */
  readonly series: readonly TimeSeries[];
  /** What happened meanwhile: a line across the plot with its words. @default {nothing} */
  readonly marks?: readonly TimeMark[];
}

/** The places where a value is not the one before it, and the last place: steps need no more. */
function changes(values: ArrayLike<number>): number[] {
  return Array.from(values, (_, place) => place)
    .filter((place) => place === values.length - 1 || values[place] !== values[place - 1]);
}

/** Lines across the plot, with their words at the upper end. */
function markLayout(marks: readonly TimeMark[]): Layout {
  if (marks.length === 0) return {};
  return {
    shapes: marks.map(({ atMs }) => ({
      ...{ type: "line", x0: atMs / 1000, x1: atMs / 1000, yref: "paper", y0: 0, y1: 1 },
      line: { color: FAINT, width: 1, dash: "dot" },
    })),
    annotations: marks.map(({ atMs, text }) => ({
      ...{ x: atMs / 1000, y: 1, yref: "paper", text, showarrow: false, xanchor: "left", yanchor: "bottom" },
      font: { size: 12, color: FAINT },
    })),
  };
}

/**
 * Quantities over time, in steps: a count stays what it is until it is seen to change. The axis is in
 * seconds.
 *
 * @param options heading, axis and quantities
 * @returns the figure
 * @throws {RangeError} there are no values, or a logarithmic axis would have to show 0 or less
 *
 * @example
 * ```ts
 * import { timeline } from "./timeline.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = timeline({
 *   title: "Sockets wait a minute on the side that closed",
 *   y: { label: "Sockets in TIME_WAIT", unit: "1" },
 *   series: [{ name: "client", timesMs: [0, 500, 60_500], values: [0, 500, 0] }],
 * });
 * assertEquals(figure.data[0]?.x, [0, 0.5, 60.5]);
 * ```
 */
export function timeline(options: TimelineOptions): Figure {
  const { timeLabel = "Time since the run began", y, marks = [] } = options;
  const x: Axis = { label: `${timeLabel} (s)`, unit: "1" };
  const given = options.series.map(({ name, timesMs, values }) => {
    const kept = changes(values);
    return { name, x: kept.map((place) => timesMs[place]! / 1000), y: kept.map((place) => values[place]!) };
  });
  const { series, notes } = fit(options.title, given, { x, y });
  const last = series.reduce((latest, { x }) => Math.max(latest, x.at(-1)!), 0);
  return {
    data: stepTraces(series),
    layout: themed(options, notes, {
      hovermode: "x unified",
      // A little more than the last step, which would lie on the edge.
      xaxis: { ...axisLayout(x, [last]), range: [0, last * 1.02 || 1] },
      yaxis: axisLayout(y, series.flatMap(({ y }) => y)),
      showlegend: true,
      ...markLayout(marks),
    }),
  };
}
