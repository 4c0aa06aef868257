import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import type { Figure, Trace } from "../record/mod.ts";
import { bars } from "./bars.ts";
import { distribution } from "./distribution.ts";
import { groupedPoints } from "./grouped_points.ts";
import { overlay } from "./overlay.ts";
import { stacked } from "./stacked.ts";
import { stamp } from "./stamp.ts";
import { timeline } from "./timeline.ts";

const ms = { label: "Elapsed", unit: "ms" } as const;
const round = { label: "Round", unit: "1" } as const;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Every builder with values of a size: what is drawn, and how many of it. */
const BUILDERS: Readonly<Record<string, (size: number) => Figure>> = {
  groupedPoints: (size) =>
    groupedPoints({
      title: "t",
      x: round,
      y: ms,
      series: [{ name: "raw/new", x: upTo(size), y: upTo(size).map((n) => n / 7) }],
    }),
  "groupedPoints on a logarithmic axis": (size) =>
    groupedPoints({
      title: "t",
      x: round,
      y: { ...ms, scale: "log" },
      series: [{ name: "raw/new", x: upTo(size), y: upTo(size).map((n) => n * size) }],
    }),
  timeline: (size) =>
    timeline({
      title: "t",
      y: { label: "Sockets", unit: "1" },
      series: [{ name: "client", timesMs: upTo(size).map((n) => n * 1000), values: upTo(size) }],
    }),
  distribution: (size) =>
    distribution({ title: "t", y: ms, samples: [{ name: "raw/new", values: upTo(size) }] }),
  stacked: (size) =>
    stacked({
      title: "t",
      x: ms,
      groups: ["raw/new", "raw/shared"],
      parts: [{ name: "connect", values: [size, null] }, { name: "wait", values: [size, size] }],
    }),
  bars: (size) =>
    bars({
      title: "t",
      y: ms,
      bars: [{ name: "raw/new", value: size, low: size / 2, high: size * 2 }, {
        name: "raw/shared",
        value: 1,
      }],
    }),
};

const AXES = ["x", "y"] as const;

interface AxisLayout {
  readonly type: string;
  readonly range?: readonly [number, number];
  readonly tickvals?: readonly unknown[];
  readonly ticktext?: readonly unknown[];
}

/** The ends of what is drawn along an axis: bars that are stacked reach as far as their sum. */
function extent(data: readonly Trace[], letter: "x" | "y"): number[] {
  const across = letter === "x" ? "y" : "x";
  const sums = new Map<unknown, number>();
  return data.flatMap((trace) =>
    (trace[letter] as number[]).map((value, index) => {
      if (trace.type !== "bar") return value;
      const group = (trace[across] as unknown[])[index];
      sums.set(group, (sums.get(group) ?? 0) + value);
      return sums.get(group)!;
    })
  );
}

/** Asserts that no axis cuts anything off, and that each can be read. */
function assertReadable({ data, layout }: Figure): void {
  for (const letter of AXES) {
    const { type, range, tickvals, ticktext } = layout[`${letter}axis`] as AxisLayout;
    assertEquals(tickvals?.length, ticktext?.length);
    if (type === "category") {
      const groups = new Set(data.flatMap((trace) => trace[letter] as unknown[]));
      if (tickvals) assertEquals(new Set(tickvals), groups);
      assertEquals(range, undefined);
      continue;
    }
    const ends = extent(data, letter).map((value) => type === "log" ? Math.log10(value) : value);
    const ticks = tickvals?.map((value) => type === "log" ? Math.log10(value as number) : value as number);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    if (range) assert(Math.min(...range) <= low && high <= Math.max(...range), `${letter}: ${range}`);
    if (ticks) assert(ticks.some((tick) => tick > high - 0.7 && tick <= high + 1), `${letter}: ${ticks}`);
  }
}

for (const [name, draw] of Object.entries(BUILDERS)) {
  Deno.test(`overlay holds the values of every layer of ${name}, whichever comes first`, () => {
    const sizes = [1, 30, 2, 1000];
    for (const order of [sizes, sizes.toReversed()]) {
      const layers = order.map((size) => ({ name: `${size}`, figure: draw(size) }));
      const figure = overlay(layers);
      assertReadable(figure);
      assertEquals(figure.data.length, layers.flatMap(({ figure }) => figure.data).length);
    }
  });
}

Deno.test("overlay's check of axes sees what a layout of the first layer alone would cut off", () => {
  for (const name of ["timeline", "distribution", "stacked"]) {
    const [small, large] = [BUILDERS[name]!(1), BUILDERS[name]!(1000)];
    assertThrows(() => assertReadable({ data: large.data, layout: small.layout }), Error, "", name);
  }
});

const [few, many] = [BUILDERS.stacked!(1), BUILDERS.stacked!(10)];

Deno.test("overlay names what is of which layer", () => {
  const lines = overlay([
    { name: "before", figure: BUILDERS.timeline!(2) },
    { name: "after", figure: BUILDERS.timeline!(2) },
  ]).data;
  assertEquals(lines.map(({ name }) => name), ["before: client", "after: client"]);
  assertEquals(lines.map(({ line }) => (line as { dash: string }).dash), ["solid", "dot"]);
  const { data, layout } = overlay([{ name: "before", figure: few }, { name: "after", figure: many }]);
  assertEquals(data.map(({ y }) => (y as string[])[0]), [
    ...["before: raw/new", "before: raw/new", "after: raw/new", "after: raw/new"],
  ]);
  assertEquals(data.map(({ showlegend, legendgroup }) => [legendgroup, showlegend]), [
    ...[["connect", true], ["wait", true], ["connect", false], ["wait", false]],
  ]);
  const sums = (layout.annotations as { y: string; text: string }[]).map(({ y, text }) => `${y} ${text}`);
  assertEquals(sums, [
    ...["before: raw/new <b>2</b> ms", "before: raw/shared <b>1</b> ms"],
    ...["after: raw/new <b>20</b> ms", "after: raw/shared <b>10</b> ms"],
  ]);
});

Deno.test("a part that only a later layer has is in the legend", () => {
  const part = (name: string) =>
    stacked({ title: "t", x: ms, groups: ["a"], parts: [{ name, values: [1] }] });
  const { data } = overlay([{ name: "1", figure: part("wait") }, { name: "2", figure: part("dns") }]);
  assertEquals(data.map(({ showlegend }) => showlegend), [true, true]);
});

Deno.test("a name has one colour in all layers, and each name its own", () => {
  const draw = (...names: string[]) =>
    groupedPoints({
      title: "t",
      x: round,
      y: ms,
      series: names.map((name) => ({ name, x: [1, 2], y: [1, 2] })),
    });
  const colors = (...layers: Figure[]) => {
    const { data } = overlay(layers.map((figure, index) => ({ name: `${index}`, figure })));
    return data.map(({ line, marker }) => {
      assertEquals((line as { color: string }).color, (marker as { color: string }).color);
      return (line as { color: string }).color;
    });
  };
  const [a, b, b2, c] = colors(draw("a", "b"), draw("b", "c")) as [string, string, string, string];
  assertEquals(b2, b);
  assertEquals(new Set([a, b, c]).size, 3);
  const [x, y, y2, x2] = colors(draw("x", "y"), draw("y", "x")) as [string, string, string, string];
  assertEquals([x2, y2], [x, y]);
  assertNotEquals(x, y);
});

Deno.test("a colour of a person's own stays when the layers have the same names", () => {
  const figure = { data: [{ type: "scatter", name: "a", y: [1], line: { color: "#ABCDEF" } }], layout: {} };
  const { data } = overlay([{ name: "1", figure }, { name: "2", figure }]);
  assertEquals(data.map(({ line }) => (line as { color: string }).color), ["#ABCDEF", "#ABCDEF"]);
});

Deno.test("overlay says what differs, and whose each subtitle is", () => {
  const draw = (subtitle: string) =>
    groupedPoints({ title: "t", subtitle, x: round, y: ms, series: [{ name: "a", x: [1], y: [1] }] });
  const below = (first: string, second: string) => {
    const layers = [{ name: "before", figure: draw(first) }, { name: "after", figure: draw(second) }];
    const { title, margin } = overlay(layers, { subtitle: "requests: before 500, after 200" }).layout;
    const { text } = (title as { subtitle: { text: string } }).subtitle;
    const lines = text.split("<br>").length;
    assertEquals((margin as { t: number }).t, 34 + 21 + 16 * lines + 12);
    return text.replaceAll("<br>", " ");
  };
  assertEquals(below("over loopback", "over loopback"), "requests: before 500, after 200 · over loopback");
  assertEquals(
    below("500 requests", "200 requests"),
    "requests: before 500, after 200 · before: 500 requests · after: 200 requests",
  );
});

Deno.test("overlay lists the runs of all layers in its metadata", () => {
  const origins = ["a", "b"].map((id) => ({ run: `handshake-cost/${id}`, hash: `sha256:${id}` }));
  const layers = origins.map((origin) => ({ name: origin.run, figure: stamp(few, origin) }));
  assertEquals(overlay(layers).layout.meta, { runs: origins });
});

Deno.test("overlay draws at most 4,000 points, keeps the extremes and says so", () => {
  const draw = (peak: number) => {
    const x = upTo(30_000);
    const y = x.map((n) => n === 12_345 ? peak : n % 7);
    return groupedPoints({ title: "t", x: round, y: ms, series: [{ name: "a", x, y }] });
  };
  const layers = [99, 98, 97].map((peak) => ({ name: `${peak}`, figure: draw(peak) }));
  const { data, layout } = overlay(layers);
  const drawn = data.map(({ x, y }) => [x, y] as [number[], number[]]);
  const total = drawn.reduce((sum, [x]) => sum + x.length, 0);
  assert(total <= 4000 && total > 2000, `${total}`);
  assertEquals(drawn.map(([_, y]) => Math.max(...y)), [99, 98, 97]);
  assert(drawn.every(([x, y]) => x.length === y.length));
  const { subtitle } = layout.title as { subtitle: { text: string } };
  assert(subtitle.text.replaceAll("<br>", " ").includes(`together ${total.toLocaleString("en")} of `));
});

Deno.test("overlay shows a zero that one layer has on a linear axis", () => {
  const draw = (values: number[]) => distribution({ title: "t", y: ms, samples: [{ name: "a", values }] });
  for (const order of [[[0, 1], [1, 2]], [[1, 2], [0, 1]]]) {
    const figure = overlay(order.map((values, index) => ({ name: `${index}`, figure: draw(values) })));
    const { type, tickvals } = figure.layout.yaxis as AxisLayout;
    assertEquals([type, tickvals], ["linear", undefined]);
  }
});

Deno.test("overlay refuses what would be a wrong picture", () => {
  const layer = (name: string, figure = few) => ({ name, figure });
  const plain = (type: string, layout = {}) => ({ data: [{ type, y: [1, 2] }], layout });
  assertThrows(() => overlay([layer("a")]), RangeError, "must be 2 to 5: there are 1");
  assertThrows(() => overlay([..."abcdef"].map((name) => layer(name))), RangeError, "there are 6");
  assertThrows(() => overlay([layer("a"), layer("b"), layer("a")]), RangeError, "two of them are named a");
  assertThrows(
    () => overlay([layer("a"), layer("b", BUILDERS.timeline!(2))]),
    RangeError,
    "of different kinds: there are bar and scatter",
  );
  assertThrows(
    () => overlay([layer("a", plain("heatmap")), layer("b", plain("heatmap"))]),
    RangeError,
    "of kind heatmap as one would hide the other",
  );
  const titled = (text: string) => plain("scatter", { yaxis: { title: { text } } });
  assertThrows(
    () => overlay([layer("a", titled("Elapsed (ms)")), layer("b", titled("Size (bytes)"))]),
    RangeError,
    "their yaxis must show the same: there are Elapsed (ms) and Size (bytes)",
  );
  assertThrows(
    () =>
      overlay([
        layer("a", plain("scatter", { xaxis: { type: "category" } })),
        layer("b", plain("scatter", { xaxis: { type: "log" } })),
      ]),
    RangeError,
    "must be divided alike: there are category and log",
  );
});

Deno.test("overlay takes plotly figures of one's own, with as little in them as plotly asks for", () => {
  const scatter = { data: [{ type: "scatter", y: [1, 2] }], layout: { title: "Mine" } };
  assertEquals(
    overlay([{ name: "a", figure: scatter }, { name: "b", figure: scatter }]).data.map(({ name }) => name),
    [
      "a",
      "b",
    ],
  );
  const bar = { data: [{ type: "bar", y: [1, 2] }], layout: {} };
  const { data } = overlay([{ name: "a", figure: bar }, { name: "b", figure: bar }]);
  assertEquals(data.map(({ x }) => x), [["a: 0", "a: 1"], ["b: 0", "b: 1"]]);
});
