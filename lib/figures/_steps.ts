import type { Trace } from "../record/mod.ts";
import { colorsOf } from "./_colors.ts";
import type { FittedSeries } from "./_fit.ts";

/**
 * Series as steps: each value holds until the next one. A lone value is a point, as a line of one would not
 * be seen.
 *
 * @param series the series, each in the order of x
 */
export function stepTraces(series: readonly FittedSeries[]): Trace[] {
  const colors = colorsOf(series.map(({ name }) => name));
  return series.map(({ name, x, y }, index) => ({
    type: "scatter",
    mode: x.length > 1 ? "lines" : "markers",
    name,
    x,
    y,
    marker: { color: colors[index] },
    line: { color: colors[index], width: 2, shape: "hv" },
  }));
}
