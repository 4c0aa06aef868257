import { downsample } from "../stats/mod.ts";
import type { Axis } from "./axis.ts";
import type { Series } from "./series.ts";

/** The most points that a figure carries: what a page can draw and a notebook can hold. */
const MOST_POINTS = 4000;

/** A series as it is drawn. */
export interface FittedSeries {
  /** Its name. */
  readonly name: string;
  /** Where its points lie along x. */
  readonly x: readonly number[];
  /** Where its points lie along y. */
  readonly y: readonly number[];
}

/** Series that fit into a figure. */
export interface Fit {
  /** Those that have points. */
  readonly series: readonly FittedSeries[];
  /** What a reader has to know of what is not drawn; nothing when all of it is. */
  readonly notes: readonly string[];
}

function withNumbers({ name, x, y }: Series): FittedSeries {
  const kept = Array.from(x, (_, place) => place)
    .filter((place) => Number.isFinite(x[place]) && Number.isFinite(y[place]));
  return { name, x: kept.map((place) => x[place]!), y: kept.map((place) => y[place]!) };
}

/** How many points each series gets: what the small ones do not need is left to the large ones. */
function allot(counts: readonly number[], most: number): number[] {
  const allotted = counts.map(() => 0);
  const smallestFirst = counts.map((_, index) => index).sort((a, b) => counts[a]! - counts[b]!);
  let left = most;
  smallestFirst.forEach((index, done) => {
    allotted[index] = Math.min(counts[index]!, Math.floor(left / (counts.length - done)));
    left -= allotted[index];
  });
  return allotted;
}

/** Rounds to four significant digits. */
export function round4(value: number): number {
  return Number(value.toPrecision(4));
}

const NUMBER = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

/** The same as it is written beside what is drawn: as the ticks of an axis are. */
export function numberText(value: number): string {
  return NUMBER.format(value);
}

/**
 * A function that rounds to what can be seen: four significant digits on a logarithmic axis, at least
 * 10,000 steps over the range of a linear one.
 */
function rounding(values: readonly number[], scale: Axis["scale"]): (value: number) => number {
  if (scale === "log") return round4;
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const exponent = Math.floor(Math.log10(high - low || Math.abs(high) || 1)) - 4;
  if (exponent >= 0) return (value) => Math.round(value / 10 ** exponent) * 10 ** exponent;
  return (value) => Number(value.toFixed(Math.min(100, -exponent)));
}

function checkLogarithmic(title: string, name: string, axis: Axis, values: readonly number[]): void {
  const wrong = values.find((value) => value <= 0);
  if (axis.scale !== "log" || wrong === undefined) return;
  throw new RangeError(
    `Cannot draw "${title}" as every ${axis.label} must be above 0 on a logarithmic axis: ${name} has ${wrong}`,
  );
}

/**
 * Makes series fit into a figure: points without numbers out, at most 4,000 points with no extreme lost,
 * digits that nobody sees out.
 *
 * @param title the title of the figure, for messages
 * @param given the series
 * @param axes what the axes show
 * @param most the most points that are kept, where a figure needs fewer
 * @throws {RangeError} no series has a point, or a logarithmic axis would have to show 0 or less
 */
export function fit(
  title: string,
  given: readonly Series[],
  axes: { readonly x: Axis; readonly y: Axis },
  most: number = MOST_POINTS,
): Fit {
  const all = given.map(withNumbers);
  const series = all.filter(({ x }) => x.length > 0);
  if (series.length === 0) throw new RangeError(`Cannot draw "${title}" as there are no values`);
  for (const { name, x, y } of series) {
    checkLogarithmic(title, name, axes.x, x);
    checkLogarithmic(title, name, axes.y, y);
  }
  const thin = thinned(series, axes.x.scale, most);
  const roundX = rounding(thin.series.flatMap(({ x }) => x), axes.x.scale);
  const roundY = rounding(thin.series.flatMap(({ y }) => y), axes.y.scale);
  const missing = all.filter(({ x }) => x.length === 0).map(({ name }) => `no values: ${name}`);
  return {
    series: thin.series.map(({ name, x, y }) => ({ name, x: x.map(roundX), y: y.map(roundY) })),
    notes: [...missing, ...thin.notes],
  };
}

/**
 * Takes points out until there are at most 4,000, with no extreme lost.
 *
 * @param series the series, each with points
 * @param scale how the x axis is divided
 * @param most the most points that are kept
 */
export function thinned(
  series: readonly FittedSeries[],
  scale: Axis["scale"],
  most: number = MOST_POINTS,
): Fit {
  const counts = series.map(({ x }) => x.length);
  const limits = allot(counts, most);
  let drawn = 0;
  const thin = series.map(({ name, x, y }, index) => {
    const places = scale === "log" ? x.map(Math.log) : x;
    const { kept } = downsample(places, y, { limit: Math.max(4, limits[index]!) });
    drawn += kept.length;
    return { name, x: kept.map((place) => x[place]!), y: kept.map((place) => y[place]!) };
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  const note = `${drawn.toLocaleString("en")} of ${total.toLocaleString("en")} points drawn, extremes kept`;
  return { series: thin, notes: drawn < total ? [note] : [] };
}
