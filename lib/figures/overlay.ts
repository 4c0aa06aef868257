import type { Figure, Trace } from "../record/mod.ts";

/** One of the figures that {@linkcode overlay} lays over one another. */
export interface Layer {
  /** What it is of, such as a run's label: it stands before the name of each of its traces. */
  readonly name: string;
  /** The figure. */
  readonly figure: Figure;
}

const DASHES = ["solid", "dot", "dash", "longdash", "dashdot"];
const SYMBOLS = ["circle", "diamond", "square", "x", "triangle-up"];

/**
 * The same figure of several runs in one: lines keep the colour of their variant and differ in their
 * dashes, bars stand below one another. At most 5 layers can be told apart.
 *
 * @param layers the figures, the first of which gives axes and heading
 * @returns the figure
 * @throws {RangeError} there are fewer than 2 layers or more than 5, or they are not the same kind of figure
 */
export function overlay(layers: readonly Layer[]): Figure {
  if (layers.length < 2 || layers.length > DASHES.length) {
    throw new RangeError(
      `Cannot overlay figures as there must be 2 to ${DASHES.length}: there are ${layers.length}`,
    );
  }
  const kinds = new Set(layers.flatMap(({ figure }) => figure.data.map(({ type }) => type)));
  if (kinds.size > 1) {
    throw new RangeError(`Cannot overlay figures of different kinds: there are ${[...kinds].join(" and ")}`);
  }
  const { annotations: _, ...layout } = layers[0]!.figure.layout;
  return {
    data: layers.flatMap(({ name, figure }, index) =>
      figure.data.map((trace) => layered(trace, name, index))
    ),
    layout: { ...layout, showlegend: true },
  };
}

function layered(trace: Trace, layer: string, index: number): Trace {
  if (trace.type !== "bar") {
    return {
      ...trace,
      name: `${layer}: ${trace.name}`,
      line: { ...trace.line as object, dash: DASHES[index] },
      marker: { ...trace.marker as object, symbol: SYMBOLS[index] },
    };
  }
  const along = trace.orientation === "h" ? "y" : "x";
  const groups = (trace[along] as readonly unknown[]).map((group) => `${layer}: ${group}`);
  return { ...trace, [along]: groups, legendgroup: `${trace.name}`, showlegend: index === 0 };
}
