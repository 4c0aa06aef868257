import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import type { Sample } from "./distribution.ts";
import { round4 } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, themed } from "./_layout.ts";
import { stepTraces } from "./_steps.ts";

/** What {@linkcode histogram} draws. */
export interface HistogramOptions extends Heading {
  /** What was measured, on a logarithmic axis. */
  readonly x: Omit<Axis, "scale">;
  /** What one number belongs to, in the plural. @default {"requests"} */
  readonly of?: string;
  /** The numbers, a sample for each group, each number above 0. */
  readonly samples: readonly Sample[];
}

const BINS_PER_DECADE = 20;

/** The lower end of a bin. */
function edge(bin: number): number {
  return 10 ** (bin / BINS_PER_DECADE);
}

/** The bin of a value. */
function binOf(value: number): number {
  return Math.floor(Math.log10(value) * BINS_PER_DECADE + 1e-9);
}

/** How many values each bin has, from an empty one before the first to an empty one behind the last. */
function counted(values: readonly number[]): { x: number[]; y: number[] } {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(binOf(value), (counts.get(binOf(value)) ?? 0) + 1);
  const bins = [...counts.keys()];
  const [first, last] = [Math.min(...bins), Math.max(...bins)];
  const shown = Array.from({ length: last - first + 3 }, (_, index) => first - 1 + index);
  return { x: shown.map((bin) => round4(edge(bin))), y: shown.map((bin) => counts.get(bin) ?? 0) };
}

/**
 * How many values there are of each size, in bins that are equally wide on a logarithmic axis, twenty a decade: values
 * that come from two ways of doing a thing make two humps.
 *
 * @param options heading, axis and samples
 * @returns the figure
 * @throws {RangeError} there are no values, or one of them is 0 or less
 *
 * @example
 * ```ts
 * import { histogram } from "./histogram.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = histogram({
 *   title: "Two humps: ports that are found at once, and those found after a walk",
 *   x: { label: "connect()", unit: "ms" },
 *   samples: [{ name: "plain", values: [0.01, 0.0101, 0.3] }],
 * });
 * assertEquals((figure.data[0]?.y as number[]).filter((count) => count > 0), [2, 1]);
 * ```
 */
export function histogram(options: HistogramOptions): Figure {
  const { title, of = "requests", samples } = options;
  const given = samples.map(({ name, values }) => ({
    name,
    values: Array.from(values).filter(Number.isFinite),
  }));
  const wrong = given.flatMap(({ values }) => values).find((value) => value <= 0);
  if (wrong !== undefined) {
    throw new RangeError(`Cannot draw "${title}" as every value must be above 0: there is ${wrong}`);
  }
  const shown = given.filter(({ values }) => values.length > 0);
  if (shown.length === 0) throw new RangeError(`Cannot draw "${title}" as there are no values`);
  const series = shown.map(({ name, values }) => ({ name, ...counted(values) }));
  const notes = given.filter(({ values }) => values.length === 0).map(({ name }) => `no values: ${name}`);
  const x: Axis = { ...options.x, scale: "log" };
  return {
    data: stepTraces(series),
    layout: themed(options, notes, {
      xaxis: axisLayout(x, series.flatMap(({ x }) => x)),
      yaxis: axisLayout({ label: `Number of ${of}`, unit: "1" }, series.flatMap(({ y }) => y)),
      showlegend: true,
    }),
  };
}
