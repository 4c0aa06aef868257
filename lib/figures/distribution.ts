import type { Figure } from "../record/mod.ts";
import { exceedance } from "../stats/mod.ts";
import type { Axis } from "./axis.ts";
import { fit } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, themed } from "./_layout.ts";
import { stepTraces } from "./_steps.ts";

/** Some numbers of one kind. */
export interface Sample {
  /** What they belong to, such as a variant: it stands in the legend and decides the colour. */
  readonly name: string;
  /** The numbers, in any order. One that is missing (`NaN`) is left out. */
  readonly values: ArrayLike<number>;
  /** How often each of them occurs, such as in a histogram. @default {once each} */
  readonly counts?: ArrayLike<number>;
}

/** What {@linkcode distribution} draws. */
export interface DistributionOptions extends Heading {
  /** What was measured. @default {a logarithmic scale, unless a value is 0 or less} */
  readonly y: Axis;
  /** What one number belongs to, in the plural. @default {"requests"} */
  readonly of?: string;
  /** The numbers, a sample for each group. */
  readonly samples: readonly Sample[];
}

/** Curves that never fall need no more to look as they are: a notebook carries every point twice. */
const MOST_POINTS = 1600;

const PERCENTILES = ["0", "50", "75", "90", "99", "99.9", "99.99", "99.999", "99.9999"];

/**
 * The value at every percentile, up to the largest one of all: the percentile axis gives each further nine
 * the same room, so that the slowest one in a hundred and one in a thousand can be read and compared, which
 * a histogram and a mean hide.
 *
 * Source: the percentile plot of HdrHistogram, https://hdrhistogram.github.io/HdrHistogram/.
 *
 * @param options heading, axis and samples
 * @returns the figure
 * @throws {RangeError} there are no values, or a logarithmic axis was asked for and one is 0 or less
 *
 * @example
 * ```ts
 * import { distribution } from "./distribution.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = distribution({
 *   title: "One request in a hundred takes five times as long as the median",
 *   y: { label: "Latency", unit: "ms" },
 *   samples: [{ name: "raw/new", values: [0.21, 0.2, 0.2, 1.1] }],
 * });
 * // The share of requests that took at least so long.
 * assertEquals(figure.data[0]?.x, [1, 0.5, 0.25]);
 * assertEquals(figure.data[0]?.y, [0.2, 0.21, 1.1]);
 * ```
 */
export function distribution(options: DistributionOptions): Figure {
  const { of = "requests", samples } = options;
  let measured = 0;
  const given = samples.map(({ name, values, counts }) => {
    const places = Array.from(values, (_, place) => place).filter((place) => Number.isFinite(values[place]));
    if (places.length === 0) return { name, x: [], y: [] };
    const kept = counts === undefined ? undefined : places.map((place) => counts[place]!);
    measured += kept === undefined ? places.length : kept.reduce((sum, count) => sum + count, 0);
    const { values: y, shares: x } = exceedance(places.map((place) => values[place]!), kept);
    return { name, x, y };
  });
  const positive = given.every(({ y }) => y.length === 0 || y[0]! > 0);
  const y: Axis = { scale: positive ? "log" : "linear", ...options.y };
  const x: Axis = { label: `Percentile of ${of}`, unit: "1", scale: "log" };
  const { series, notes: fitted } = fit(options.title, given, { x, y }, MOST_POINTS);
  // A curve has a point for each value that differs: their number, the last note, is none of measurements.
  const notes = pointsOf(series) === pointsOf(given) ? fitted : [
    ...fitted.slice(0, -1),
    `${measured.toLocaleString("en")} ${of} measured; curves thinned, extremes kept`,
  ];
  const rarest = Math.min(...given.flatMap(({ x }) => x.slice(-1)));
  const percentiles = PERCENTILES.filter((percentile) => shareAbove(percentile) >= rarest * 0.99);
  return {
    data: stepTraces(series),
    layout: themed(options, notes, {
      xaxis: {
        ...axisLayout(x, [rarest, 1]),
        range: [0, Math.log10(rarest) - 0.05],
        tickvals: percentiles.map(shareAbove),
        ticktext: percentiles.map((percentile) => `${percentile}%`),
      },
      yaxis: axisLayout(y, series.flatMap(({ y }) => y)),
      showlegend: true,
    }),
  };
}

function pointsOf(series: readonly { readonly x: ArrayLike<number> }[]): number {
  return series.reduce((total, { x }) => total + x.length, 0);
}

function shareAbove(percentile: string): number {
  return Number((1 - Number(percentile) / 100).toPrecision(6));
}
