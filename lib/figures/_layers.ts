import type { Figure, Trace } from "../record/mod.ts";
import { colorsOf, inkOn } from "./_colors.ts";
import type { Layout } from "./_layout.ts";

/** One of the figures that `overlay` lays over one another. */
export interface Layer {
  /** What it is of, such as a run's label: it stands before the name of each of its traces. */
  readonly name: string;
  /** The figure. */
  readonly figure: Figure;
}

/** How lines of different layers are told apart. */
export const DASHES = ["solid", "dot", "dash", "longdash", "dashdot"];
const SYMBOLS = ["circle", "diamond", "square", "x", "triangle-up"];

/** Which axis a key of a layout stands for. */
export const AXIS = /^([xy])axis(\d*)$/;

/** A trace in another colour, wherever it has one colour and not one a point. */
function colored(trace: Trace, color: string): Trace {
  const changed = (part: "line" | "marker") => {
    const style = trace[part] as Layout | undefined;
    return typeof style?.color === "string" ? { [part]: { ...style, color } } : {};
  };
  const ink = trace.insidetextfont === undefined ? {} : { insidetextfont: { color: inkOn(color) } };
  return { ...trace, ...changed("line"), ...changed("marker"), ...ink };
}

/** Gives what has the same name in several layers the same colour. */
export function sameColors(layers: readonly Layer[]): readonly Layer[] {
  const names = layers.map(({ figure }) => figure.data.map(({ name }) => name as string));
  // A builder colours by the names that a figure has: the same names have the same colours already.
  if (names.every((own) => own.join("\n") === names[0]!.join("\n"))) return layers;
  const all = [...new Set(names.flat())];
  const colors = new Map(colorsOf(all).map((color, index) => [all[index], color]));
  return layers.map(({ name, figure: { data, layout } }) => ({
    name,
    figure: { data: data.map((trace) => colored(trace, colors.get(trace.name as string)!)), layout },
  }));
}

/** Lines and points of a layer, told apart from another's by dashes and symbols. */
export function withMarks({ name, figure: { data, layout } }: Layer, index: number): Figure {
  return {
    data: data.map((trace) => ({
      ...trace,
      name: trace.name === undefined ? name : `${name}: ${trace.name}`,
      line: { ...trace.line as Layout | undefined, dash: DASHES[index] },
      marker: { ...trace.marker as Layout | undefined, symbol: SYMBOLS[index] },
    })),
    layout,
  };
}

/** Bars of a layer, in groups of its own. What stands at a group goes with it; the legend names a kind once. */
export function inGroups({ name, figure }: Layer, index: number, layers: readonly Layer[]): Figure {
  const moved = (group: unknown) => `${name}: ${group}`;
  const moveAll = (groups: unknown) => Array.isArray(groups) ? groups.map(moved) : undefined;
  const [along, across] = figure.data[0]!.orientation === "h" ? ["y", "x"] as const : ["x", "y"] as const;
  const listed = new Set(layers.slice(0, index).flatMap((one) => one.figure.data.map(({ name }) => name)));
  const data = figure.data.map((trace) => ({
    ...trace,
    [along]: moveAll(trace[along] ?? Object.keys(trace[across] as object)),
    legendgroup: `${trace.name}`,
    showlegend: trace.showlegend !== false && !listed.has(trace.name),
  }));
  const axes = Object.entries(figure.layout)
    .filter(([key]) => AXIS.exec(key)?.[1] === along)
    .map(([key, axis]) => {
      const { range: _, tickvals, ticktext, ...rest } = axis as Layout;
      const ticks = { tickvals: moveAll(tickvals), ticktext: moveAll(ticktext) };
      return [key, { ...rest, type: "category", ...ticks }];
    });
  const notes = (figure.layout.annotations ?? []) as readonly Layout[];
  const annotations = notes.map((note) =>
    typeof note[along] === "string" ? { ...note, [along]: moved(note[along]) } : note
  );
  return { data, layout: { ...figure.layout, ...Object.fromEntries(axes), annotations } };
}
