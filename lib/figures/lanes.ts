import type { Figure } from "../record/mod.ts";
import type { Axis } from "./axis.ts";
import { colorsOf } from "./_colors.ts";
import { round4 } from "./_fit.ts";
import type { Heading } from "./heading.ts";
import { axisLayout, CATEGORY_AXIS, themed } from "./_layout.ts";

/** Something that takes a while, such as a request. */
export interface Span {
  /** Where it begins along x. */
  readonly from: number;
  /** Where it ends. */
  readonly to: number;
  /** What it is, such as the round that it belongs to: it stands in the legend and decides the colour. */
  readonly state: string;
}

/** What happens in one place, such as on one connection. */
export interface Lane {
  /** What it is: it stands beside the lane. */
  readonly name: string;
  /** What happens there, in any order. What overlaps is drawn side by side within the lane. */
  readonly spans: readonly Span[];
}

/** What {@linkcode lanes} draws. */
export interface LanesOptions extends Heading {
  /** What the spans are measured in. */
  readonly x: Axis;
  /** The lanes from top to bottom. */
  readonly lanes: readonly Lane[];
}

/** The most bars that a figure carries. */
const MOST_SPANS = 4000;

/** How much of a lane's height its bars take. */
const LANE_SHARE = 0.8;

/** The smallest share of the axis that can be seen: what overlaps less is drawn as if it did not. */
const SEEN_SHARE = 0.001;

const LEAST_HEIGHT_PX = 440;
const MOST_HEIGHT_PX = 1200;
const LEAST_LANE_PX = 24;

/** Room for heading and axis, in pixels. */
const FRAME_PX = 170;

/** A span with its place in the figure. */
interface Bar extends Span {
  readonly lane: string;
  readonly track: number;
  readonly tracks: number;
}

/**
 * A lane a connection, a bar a request: what happens one after another, and what at the same time.
 *
 * @param options heading, axis and lanes
 * @returns the figure
 * @throws {RangeError} there are no spans, or one begins below 0 or ends before it begins
 *
 * @example
 * ```ts
 * import { lanes } from "./lanes.ts";
 * import { assertEquals } from "@std/assert";
 * const figure = lanes({
 *   title: "A connection carries one request after another",
 *   x: { label: "Time since the first request", unit: "ms" },
 *   lanes: [{ name: "connection 1", spans: [{ from: 0, to: 501, state: "round 1" }] }],
 * });
 * assertEquals(figure.data.map(({ base, x }) => [base, x]), [[[0], [501]]]);
 * ```
 */
export function lanes(options: LanesOptions): Figure {
  const { title, x } = options;
  const used = options.lanes.filter(({ spans }) => spans.length > 0);
  if (used.length === 0) throw new RangeError(`Cannot draw "${title}" as there are no values`);
  for (const { name, spans } of used) {
    const wrong = spans.find(({ from, to }) => !(from >= 0 && to >= from && to < Infinity));
    if (wrong === undefined) continue;
    throw new RangeError(
      `Cannot draw "${title}" as a span must begin at 0 or later and end no earlier: ${name} has ${wrong.from} to ${wrong.to}`,
    );
  }
  const last = used.flatMap(({ spans }) => spans).reduce((most, { to }) => Math.max(most, to), 0);
  const all = used.flatMap((lane) => tracked(lane, last * SEEN_SHARE));
  const bars = longest(all);
  const states = [...new Set(all.map(({ state }) => state))];
  const colors = colorsOf(states);
  const names = used.map(({ name }) => name);
  const notes = options.lanes.filter(({ spans }) => spans.length === 0).map(({ name }) =>
    `no values: ${name}`
  );
  if (bars.length < all.length) {
    notes.push(`${bars.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} bars, the longest`);
  }
  return {
    data: states.map((state, index) => traceOf(state, bars, colors[index]!)).filter(({ x }) => x.length > 0),
    layout: themed(options, notes, {
      height: Math.min(MOST_HEIGHT_PX, Math.max(LEAST_HEIGHT_PX, FRAME_PX + names.length * LEAST_LANE_PX)),
      barmode: "overlay",
      xaxis: axisLayout(x, all.map(({ to }) => to)),
      yaxis: {
        ...CATEGORY_AXIS,
        autorange: "reversed",
        categoryorder: "array",
        categoryarray: names,
      },
      showlegend: true,
    }),
  };
}

/** Gives each span of a lane the first track that is free when it begins, or nearly so. */
function tracked({ name, spans }: Lane, tolerance: number): Bar[] {
  const ends: number[] = [];
  const placed = spans.toSorted((left, right) => left.from - right.from).map((span) => {
    const free = ends.findIndex((end) => end <= span.from + tolerance);
    const track = free < 0 ? ends.length : free;
    ends[track] = span.to;
    return { ...span, lane: name, track };
  });
  return placed.map((span) => ({ ...span, tracks: ends.length }));
}

/** As many as a figure may carry, in their order. */
function longest(bars: readonly Bar[]): readonly Bar[] {
  if (bars.length <= MOST_SPANS) return bars;
  const kept = new Set(
    bars.toSorted((left, right) => right.to - right.from - (left.to - left.from)).slice(0, MOST_SPANS),
  );
  return bars.filter((bar) => kept.has(bar));
}

function traceOf(state: string, bars: readonly Bar[], color: string) {
  const own = bars.filter((bar) => bar.state === state);
  return {
    type: "bar",
    orientation: "h",
    name: state,
    y: own.map(({ lane }) => lane),
    base: own.map(({ from }) => round4(from)),
    x: own.map(({ from, to }) => round4(to - from)),
    offset: own.map(({ track, tracks }) => round4(LANE_SHARE * (track / tracks - 0.5))),
    width: own.map(({ tracks }) => round4(LANE_SHARE / tracks)),
    marker: { color, line: { color: "#FFFFFF", width: 1 } },
  };
}
