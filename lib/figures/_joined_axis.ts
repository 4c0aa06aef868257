import { type Layout, logTicks } from "./_layout.ts";

type Range = readonly [number, number];

function isRange(value: unknown): value is Range {
  return Array.isArray(value) && value.length === 2 && value.every((end) => typeof end === "number");
}

/** The range around ranges; an axis that runs backwards goes on doing so. */
function widest(ranges: readonly Range[]): Range {
  const [starts, ends] = [ranges.map(([start]) => start), ranges.map(([, end]) => end)];
  const isBackwards = starts[0]! > ends[0]!;
  return isBackwards ? [Math.max(...starts), Math.min(...ends)] : [Math.min(...starts), Math.max(...ends)];
}

function ticksOf({ tickvals, ticktext }: Layout): (readonly [unknown, unknown])[] {
  if (!Array.isArray(tickvals)) return [];
  const texts = Array.isArray(ticktext) ? ticktext : tickvals;
  return tickvals.map((place, index) => [place, texts[index]]);
}

/** The ticks of several axes, each place once. */
function everyTick(axes: readonly Layout[]): Layout {
  const ticks = new Map(axes.flatMap(ticksOf));
  return ticks.size === 0 ? {} : { tickvals: [...ticks.keys()], ticktext: [...ticks.values()] };
}

/** Steps from the first beginning on: the widest, so that ticks do not run into one another. */
function steps(axes: readonly Layout[]): Layout {
  const widths = axes.map(({ dtick }) => dtick).filter((width) => typeof width === "number");
  const begins = axes.map(({ tick0 }) => tick0).filter((begin) => typeof begin === "number");
  if (widths.length < axes.length || begins.length < axes.length) return {};
  return { dtick: Math.max(...widths), tick0: Math.min(...begins) };
}

function titleText({ title }: Layout): string {
  return typeof title === "object" && title !== null && "text" in title ? `${title.text}` : `${title ?? ""}`;
}

/**
 * One axis in place of several that show the same quantity. A range that each of them states becomes one that
 * holds all of them, with the ticks of all. Where some are logarithmic and others are not, because a value is 0,
 * it is not.
 *
 * @param key where the axis stands in the layout, such as `yaxis`, for messages
 * @param axes the axis of each layer
 * @param values all numbers along it
 * @throws {RangeError} they do not show the same
 */
export function joinedAxis(key: string, axes: readonly Layout[], values: readonly number[]): Layout {
  const titles = new Set(axes.map(titleText));
  if (titles.size > 1) {
    const shown = [...titles].map((title) => title || "nothing").join(" and ");
    throw new RangeError(`Cannot overlay figures as their ${key} must show the same: there are ${shown}`);
  }
  const types = new Set(axes.map(({ type }) => `${type ?? "linear"}`));
  const isMixed = types.size > 1;
  if (isMixed && types.union(new Set(["linear", "log"])).size > 2) {
    throw new RangeError(
      `Cannot overlay figures as their ${key} must be divided alike: there are ${[...types].join(" and ")}`,
    );
  }
  const first = axes.find(({ type }) => !isMixed || type !== "log")!;
  const { range: _, tickvals: __, ticktext: ___, dtick: ____, tick0: _____, ...rest } = first;
  if (isMixed) return rest;
  const whole = { ...rest, ...steps(axes) };
  const ranges = axes.map(({ range }) => range).filter(isRange);
  if (ranges.length === axes.length) return { ...whole, range: widest(ranges), ...everyTick(axes) };
  if (first.type === "category") return { ...whole, ...everyTick(axes) };
  return first.type === "log" ? { ...whole, ...logTicks(values) } : whole;
}
