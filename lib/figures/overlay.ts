import type { Figure, Trace } from "../record/mod.ts";
import { thinned } from "./_fit.ts";
import { joinedAxis } from "./_joined_axis.ts";
import { AXIS, DASHES, inGroups, type Layer, sameColors, withMarks } from "./_layers.ts";
import { headed, type Layout } from "./_layout.ts";

export type { Layer } from "./_layers.ts";

/** What {@linkcode overlay} may be told. */
export interface OverlayOptions {
  /** In what the layers differ: it stands below the title. @default {nothing} */
  subtitle?: string;
}

/**
 * The same figure of several runs in one: lines keep the colour of their variant and differ in their
 * dashes, bars stand below one another. The axes hold the values of all layers, and the metadata lists the
 * runs of all as `{ runs: [{ run, hash }, …] }`. At most 5 layers can be told apart.
 *
 * @param layers the figures, made of lines and points or of bars
 * @param options what a reader has to know
 * @returns the figure
 * @throws {RangeError} there are fewer than 2 layers or more than 5, two have one name, they are not the same
 * kind of figure, or of a kind in which one would hide the other
 *
 * @example
 * ```ts
 * import { bars } from "./bars.ts";
 * import { overlay } from "./overlay.ts";
 * import { assertEquals } from "@std/assert";
 * const draw = (value: number) =>
 *   bars({ title: "Elapsed", y: { label: "Elapsed", unit: "ms" }, bars: [{ name: "raw/new", value }] });
 * const { data } = overlay([{ name: "before", figure: draw(81) }, { name: "after", figure: draw(62) }]);
 * assertEquals(data.map(({ x, y }) => [x, y]), [[["before: raw/new"], [81]], [["after: raw/new"], [62]]]);
 * ```
 */
export function overlay(layers: readonly Layer[], options: OverlayOptions = {}): Figure {
  const isBars = kindOf(layers) === "bar";
  const figures = sameColors(layers).map(isBars ? inGroups : withMarks);
  const layouts = figures.map(({ layout }) => layout);
  const { data, notes } = fitted(figures.flatMap(({ data }) => data), layouts[0]!);
  const subtitle = options.subtitle === undefined ? [] : [options.subtitle];
  const { title, topPx } = headed(titleLines(layouts), [...subtitle, ...subtitles(layers), ...notes]);
  // What points at a place among lines is about one layer alone.
  const { shapes: _, annotations: __, ...layout } = layouts[0]!;
  return {
    data,
    layout: {
      ...layout,
      ...axes(layouts, data),
      ...(isBars ? { annotations: layouts.flatMap(({ annotations }) => annotations) } : {}),
      title,
      margin: { ...layout.margin as Layout | undefined, t: topPx },
      showlegend: true,
      meta: { runs: layouts.flatMap(({ meta }) => meta ?? []) },
    },
  };
}

function kindOf(layers: readonly Layer[]): string {
  if (layers.length < 2 || layers.length > DASHES.length) {
    throw new RangeError(
      `Cannot overlay figures as there must be 2 to ${DASHES.length}: there are ${layers.length}`,
    );
  }
  const twice = layers.find(({ name }, index) => layers.findIndex((one) => one.name === name) < index);
  if (twice) throw new RangeError(`Cannot overlay figures as two of them are named ${twice.name}`);
  const kinds = [...new Set(layers.flatMap(({ figure }) => figure.data.map(({ type }) => type)))];
  if (kinds.length !== 1) {
    throw new RangeError(`Cannot overlay figures of different kinds: there are ${kinds.join(" and ")}`);
  }
  if (kinds[0] === "scatter" || kinds[0] === "bar") return kinds[0];
  throw new RangeError(
    `Cannot overlay figures of kind ${kinds[0]} as one would hide the other: use scatter or bar`,
  );
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(Number.isFinite);
}

/** Thins lines that are too long together, unless more than places would have to be thinned with them. */
function fitted(
  data: readonly Trace[],
  layout: Layout,
): { data: readonly Trace[]; notes: readonly string[] } {
  const series = data.flatMap(({ type, x, y, ...rest }) =>
    type === "scatter" && isNumbers(x) && isNumbers(y) && !Object.values(rest).some(Array.isArray)
      ? [{ name: `${rest.name}`, x, y }]
      : []
  );
  if (series.length < data.length) return { data, notes: [] };
  const { type } = (layout.xaxis ?? {}) as Layout;
  const thin = thinned(series, type === "log" ? "log" : "linear");
  return {
    data: data.map((trace, index) => ({ ...trace, x: thin.series[index]!.x, y: thin.series[index]!.y })),
    notes: thin.notes.map((note) => `together ${note}`),
  };
}

function axes(layouts: readonly Layout[], data: readonly Trace[]): Layout {
  const keys = new Set(layouts.flatMap((layout) => Object.keys(layout).filter((key) => AXIS.test(key))));
  const joined = [...keys].map((key) => {
    const [, letter, number] = AXIS.exec(key) as unknown as [string, "x" | "y", string];
    const along = data.filter((trace) => (trace[`${letter}axis`] ?? letter) === `${letter}${number}`);
    const values = along.flatMap((trace) => trace[letter] as unknown[] ?? []).filter(Number.isFinite);
    const present = layouts.flatMap((layout) => layout[key] === undefined ? [] : [layout[key] as Layout]);
    return [key, joinedAxis(key, present, values as number[])];
  });
  return Object.fromEntries(joined);
}

function textOf(part: unknown): string {
  const text = typeof part === "object" && part !== null && "text" in part ? part.text : part;
  return typeof text === "string" ? text : "";
}

/** The lines of the title; of every title where they differ. */
function titleLines(layouts: readonly Layout[]): string[] {
  const titles = new Set(layouts.map(({ title }) => textOf(title).replace(/^<b>|<\/b>$/g, "")));
  return [...titles].flatMap((title) => title.split("<br>"));
}

/** What stands below the titles: once where it is the same, else behind the name of its layer. */
function subtitles(layers: readonly Layer[]): string[] {
  const texts = layers.map(({ figure }) => {
    const title = (figure.layout.title ?? {}) as { subtitle?: unknown };
    return textOf(title.subtitle).replaceAll("<br>", " ");
  });
  const isAlike = texts.every((text) => text === texts[0]);
  const shown = isAlike
    ? texts.slice(0, 1)
    : texts.map((text, index) => text && `${layers[index]!.name}: ${text}`);
  return shown.filter((text) => text !== "");
}
