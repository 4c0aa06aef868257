import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { colorsOf } from "./_colors.ts";
import { numberText, round4 } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, CATEGORY_AXIS, themed, UNIT_LABELS } from "./_layout.ts";

/** One bar of {@linkcode bars}. A metric of a run fits as it is, with its variant as the name. */
export interface Bar {
  /** What it stands for, such as a variant: it decides the colour. */
  readonly name: string;
  /** How high it is; `null` leaves it out with a note. */
  readonly value: number | null;
  /** Lower end of its interval. @default {none} */
  readonly low?: number | null;
  /** Upper end of its interval. @default {none} */
  readonly high?: number | null;
}

/** What {@linkcode bars} draws. */
export interface BarsOptions extends Heading {
  /** What was measured. */
  readonly y: Axis;
  /** The bars, from left to right. */
  readonly bars: readonly Bar[];
}

/**
 * One bar a variant, with its interval where there is one and its number written under it.
 *
 * @param options heading, axis and bars
 * @returns the figure
 * @throws {RangeError} there are no values
 *
 * @example
 * ```ts
 * import { bars } from "./bars.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = bars({
 *   title: "A round of 500 requests takes four times as long with new connections",
 *   y: { label: "Elapsed", unit: "ms" },
 *   bars: [{ name: "raw/new", value: 81.2, low: 80.1, high: 83 }, { name: "raw/shared", value: 20.4 }],
 * });
 * assertEquals(figure.data.map((trace) => trace.y), [[81.2], [20.4]]);
 * ```
 */
export function bars(options: BarsOptions): Figure {
  const { y } = options;
  const shown = options.bars.flatMap((bar) => bar.value === null ? [] : [{ ...bar, value: bar.value }]);
  if (shown.length === 0) throw new RangeError(`Cannot draw "${options.title}" as there are no values`);
  const colors = colorsOf(shown.map(({ name }) => name));
  const names = shown.map(({ name }) => name);
  return {
    data: shown.map(({ name, value, low, high }, index) => ({
      type: "bar",
      name,
      x: [name],
      y: [round4(value)],
      marker: { color: colors[index] },
      width: 0.6,
      showlegend: false,
      ...(typeof low === "number" && typeof high === "number"
        ? {
          error_y: {
            type: "data",
            symmetric: false,
            array: [round4(high - value)],
            arrayminus: [round4(value - low)],
            thickness: 1.5,
            width: 6,
          },
        }
        : {}),
    })),
    layout: themed(
      options,
      options.bars.filter(({ value }) => value === null).map(({ name }) => `no values: ${name}`),
      {
        xaxis: {
          ...CATEGORY_AXIS,
          tickvals: names,
          ticktext: shown.map(({ name, value }) =>
            `${name}<br><b>${numberText(value)}</b> ${UNIT_LABELS[y.unit]}`
          ),
        },
        yaxis: axisLayout(y, shown.map(({ value }) => value)),
      },
    ),
  };
}
