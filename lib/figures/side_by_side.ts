import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { colorsOf } from "./_colors.ts";
import { round4 } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, CATEGORY_AXIS, themed } from "./_layout.ts";
import type { Part } from "./stacked.ts";

/** What {@linkcode sideBySide} draws. */
export interface SideBySideOptions extends Heading {
  /** What the lengths are. */
  readonly x: Axis;
  /** What is compared, from top to bottom, such as variants. */
  readonly groups: readonly string[];
  /** The bars of every group, from top to bottom, such as what was predicted and what was observed. */
  readonly parts: readonly Part[];
}

const LEAST_HEIGHT_PX = 320;

/** Room for heading and axis, in pixels. */
const FRAME_PX = 190;

const BAR_PX = 13;

/** Bars of a group, and the room between groups in the breadth of a bar. */
const GAP_BARS = 0.8;

/**
 * Bars side by side, the same ones for each group, with their numbers behind them: what is predicted against what
 * is seen.
 *
 * @param options heading, axis, groups and bars
 * @returns the figure
 * @throws {RangeError} there are no values, a part does not have one for each group, or a logarithmic axis would
 * have to show 0 or less
 *
 * @example
 * ```ts
 * import { sideBySide } from "./side_by_side.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = sideBySide({
 *   title: "Each destination has all ports once more",
 *   x: { label: "Connections at once", unit: "1" },
 *   groups: ["one destination", "two"],
 *   parts: [{ name: "predicted", values: [1000, 2000] }, { name: "observed", values: [1000, 2000] }],
 * });
 * assertEquals(figure.data.map((trace) => trace.x), [[1000, 2000], [1000, 2000]]);
 * ```
 */
export function sideBySide(options: SideBySideOptions): Figure {
  const { title, x, groups } = options;
  const wrong = options.parts.find(({ values }) => values.length !== groups.length);
  if (wrong !== undefined) {
    throw new RangeError(
      `Cannot draw "${title}" as each part needs a value for each of ${groups.length} groups: ` +
        `${wrong.name} has ${wrong.values.length}`,
    );
  }
  const shown = groups.keys().filter((group) => options.parts.some(({ values }) => values[group] !== null))
    .toArray();
  const values = options.parts.flatMap(({ values }) => values.filter((value) => value !== null));
  if (values.length === 0) throw new RangeError(`Cannot draw "${title}" as there are no values`);
  if (x.scale === "log" && values.some((value) => value <= 0)) {
    throw new RangeError(`Cannot draw "${title}" as a logarithmic axis shows no value of 0 or less`);
  }
  const colors = colorsOf(options.parts.map(({ name }) => name));
  const names = shown.map((group) => groups[group]!);
  const left = groups.filter((_, group) => !shown.includes(group));
  return {
    data: options.parts.map(({ name, values }, index) => ({
      type: "bar",
      orientation: "h",
      name,
      y: names,
      x: shown.map((group) => values[group] === null ? null : round4(values[group]!)),
      text: shown.map((group) =>
        values[group] === null
          ? ""
          : round4(values[group]!).toLocaleString("en", { maximumFractionDigits: 4 })
      ),
      textposition: "outside",
      cliponaxis: false,
      marker: { color: colors[index] },
    })),
    layout: themed(options, left.length === 0 ? [] : [`no values: ${left.join(", ")}`], {
      height: Math.max(LEAST_HEIGHT_PX, FRAME_PX + names.length * (options.parts.length + GAP_BARS) * BAR_PX),
      barmode: "group",
      xaxis: { ...axisLayout(x, values), ...roomForNumbers(x, values) },
      yaxis: { ...CATEGORY_AXIS, autorange: "reversed" },
      showlegend: true,
    }),
  };
}

/** An axis a little longer than the longest bar, whose number stands behind it. */
function roomForNumbers({ scale }: Axis, values: readonly number[]): { readonly range: [number, number] } {
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  if (scale !== "log") return { range: [0, (most || 1) * 1.14] };
  const least = values.reduce((low, value) => Math.min(low, value), most);
  const [from, to] = [Math.floor(Math.log10(least) - 0.1), Math.log10(most)];
  return { range: [from, to + (to - from) * 0.12] };
}
