import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { colorsOf, inkOn } from "./_colors.ts";
import { numberText, round4 } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, CATEGORY_AXIS, themed, UNIT_LABELS } from "./_layout.ts";

/** A part of every bar of {@linkcode stacked}, such as a phase. */
export interface Part {
  /** What it is: it stands in the legend and decides the colour. */
  readonly name: string;
  /** Its length in each group, in their order; `null` where it does not occur. */
  readonly values: readonly (number | null)[];
}

/** What {@linkcode stacked} draws. */
export interface StackedOptions extends Heading {
  /** What the lengths are. */
  readonly x: Axis;
  /** The bars from top to bottom, such as variants. */
  readonly groups: readonly string[];
  /** The parts in the order in which they follow one another. */
  readonly parts: readonly Part[];
}

/** The smallest share of the longest bar in which a number can be read. */
const LABELLED_SHARE = 0.07;

/**
 * One bar a group, made of parts laid end to end, with the sum behind it: where the time goes.
 *
 * @param options heading, axis, groups and parts
 * @returns the figure
 * @throws {RangeError} there are no values, a part does not have one for each group, or one is negative
 *
 * @example
 * ```ts
 * import { stacked } from "./stacked.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = stacked({
 *   title: "A new connection adds the handshake, and waits longer",
 *   x: { label: "Mean time of a request", unit: "ms" },
 *   groups: ["raw/new", "raw/shared"],
 *   parts: [{ name: "connect", values: [0.06, null] }, { name: "wait", values: [0.08, 0.04] }],
 * });
 * assertEquals(figure.data.map((trace) => trace.name), ["connect", "wait"]);
 * ```
 */
export function stacked(options: StackedOptions): Figure {
  const { title, x, groups } = options;
  for (const { name, values } of options.parts) {
    const wrong = values.find((value) => value !== null && !(value >= 0 && value < Infinity));
    if (values.length !== groups.length) {
      throw new RangeError(
        `Cannot draw "${title}" as each part needs a value for each of ${groups.length} groups: ` +
          `${name} has ${values.length}`,
      );
    }
    if (wrong !== undefined) {
      throw new RangeError(`Cannot draw "${title}" as no part may be negative: ${name} has ${wrong}`);
    }
  }
  const parts = options.parts.filter(({ values }) => values.some((value) => value !== null));
  if (parts.length === 0) throw new RangeError(`Cannot draw "${title}" as there are no values`);
  const sums = groups.map((_, group) => parts.reduce((sum, { values }) => sum + (values[group] ?? 0), 0));
  const longest = Math.max(...sums);
  const colors = colorsOf(parts.map(({ name }) => name));
  return {
    data: parts.map(({ name, values }, index) => ({
      type: "bar",
      orientation: "h",
      name,
      y: groups,
      x: values.map((value) => value === null ? null : round4(value)),
      text: values.map((value) =>
        value !== null && value >= LABELLED_SHARE * longest ? numberText(value) : ""
      ),
      textposition: "inside",
      insidetextanchor: "middle",
      textangle: 0,
      insidetextfont: { color: inkOn(colors[index]!) },
      marker: { color: colors[index] },
      width: 0.62,
    })),
    layout: themed(options, [], {
      barmode: "stack",
      xaxis: { ...axisLayout(x, sums), range: [0, (longest || 1) * 1.14] },
      yaxis: { ...CATEGORY_AXIS, autorange: "reversed" },
      annotations: groups.map((group, index) => ({
        x: round4(sums[index]!),
        y: group,
        text: `<b>${numberText(sums[index]!)}</b> ${UNIT_LABELS[x.unit]}`,
        xanchor: "left",
        xshift: 4,
        showarrow: false,
      })),
    }),
  };
}
