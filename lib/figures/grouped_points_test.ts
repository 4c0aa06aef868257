import { assert, assertEquals, assertThrows } from "@std/assert";
import { groupedPoints } from "./grouped_points.ts";

const axes = { x: { label: "Round", unit: "1" }, y: { label: "Elapsed", unit: "ms" } } as const;

Deno.test("groupedPoints draws a trace a series, with units on the axes", () => {
  const { data, layout } = groupedPoints({
    title: "Every round",
    ...axes,
    series: [{ name: "raw/new", x: [1, 2], y: Float64Array.of(80.123456, 82) }, {
      name: "raw/shared",
      x: [1, 2],
      y: [20, 21],
    }],
  });
  assertEquals(data.map(({ type, name, x, y }) => ({ type, name, x, y })), [
    { type: "scatter", name: "raw/new", x: [1, 2], y: [80.123, 82] },
    { type: "scatter", name: "raw/shared", x: [1, 2], y: [20, 21] },
  ]);
  const { title, xaxis, yaxis } = layout as Record<string, { text?: string; title: { text: string } }>;
  assertEquals(title!.text, "<b>Every round</b>");
  assertEquals([xaxis!.title.text, yaxis!.title.text], ["Round", "Elapsed (ms)"]);
});

Deno.test("groupedPoints puts ticks at whole rounds", () => {
  const series = (count: number) => [{
    name: "a",
    x: Array.from({ length: count }, (_, index) => index + 1),
    y: Array.from({ length: count }, () => 1),
  }];
  const tick = (count: number) => groupedPoints({ title: "t", ...axes, series: series(count) }).layout.xaxis;
  assertEquals((tick(2) as { dtick: number }).dtick, 1);
  assertEquals((tick(100) as { dtick: number }).dtick, 9);
});

Deno.test("groupedPoints thins out to 4,000 points, keeps the extremes and says so", () => {
  const many = Array.from({ length: 30_000 }, (_, index) => index);
  const high = many.map((index) => index === 12_345 ? 99 : index % 7);
  const { data, layout } = groupedPoints({
    title: "Many",
    subtitle: "by hand",
    ...axes,
    series: [{ name: "long", x: many, y: high }, { name: "short", x: [1, 2, 3], y: [4, 5, 6] }],
  });
  const [long, short] = data as unknown as { x: number[]; y: number[] }[];
  assert(long!.x.length > 3000 && long!.x.length + 3 <= 4000, `${long!.x.length}`);
  assertEquals(short!.x, [1, 2, 3]);
  assert(long!.y.includes(99));
  const { subtitle } = layout.title as { subtitle: { text: string } };
  assertEquals(
    subtitle.text,
    `by hand · ${(long!.x.length + 3).toLocaleString("en")} of 30,003 points drawn, extremes kept`,
  );
});

Deno.test("groupedPoints leaves out what has no number, and names a series that has none", () => {
  const { data, layout } = groupedPoints({
    title: "t",
    ...axes,
    series: [{ name: "a", x: [1, 2, 3], y: [5, NaN, 7] }, { name: "b", x: [1], y: [NaN] }],
  });
  assertEquals(data.map(({ name, x, y }) => ({ name, x, y })), [{ name: "a", x: [1, 3], y: [5, 7] }]);
  assertEquals((layout.title as { subtitle: { text: string } }).subtitle.text, "no values: b");
});

Deno.test("groupedPoints states whole numbers on a logarithmic axis", () => {
  const y = { ...axes.y, scale: "log" } as const;
  const { layout } = groupedPoints({
    title: "t",
    ...axes,
    y,
    series: [{ name: "a", x: [1, 2], y: [0.06, 3] }],
  });
  assertEquals(layout.yaxis && (layout.yaxis as { ticktext: string[] }).ticktext.slice(0, 7), [
    "0.01",
    "0.02",
    "0.05",
    "0.1",
    "0.2",
    "0.5",
    "1",
  ]);
  const narrow = groupedPoints({ title: "t", ...axes, y, series: [{ name: "a", x: [1, 2], y: [6, 7] }] });
  assertEquals((narrow.layout.yaxis as { tickvals?: number[] }).tickvals, undefined);
});

Deno.test("groupedPoints never draws an empty figure", () => {
  assertThrows(
    () => groupedPoints({ title: "t", ...axes, series: [] }),
    RangeError,
    `"t" as there are no values`,
  );
  assertThrows(
    () => groupedPoints({ title: "t", ...axes, series: [{ name: "a", x: [1], y: [NaN] }] }),
    RangeError,
    "there are no values",
  );
  assertThrows(
    () =>
      groupedPoints({
        title: "t",
        x: axes.x,
        y: { label: "Elapsed", unit: "ms", scale: "log" },
        series: [{ name: "a", x: [1], y: [0] }],
      }),
    RangeError,
    "every Elapsed must be above 0 on a logarithmic axis: a has 0",
  );
});

Deno.test("groupedPoints has a tick for each of a few counts, and plotly's own for times and large counts", () => {
  const axisOf = (unit: "1" | "ms", values: number[]) =>
    groupedPoints({
      title: "t",
      x: { label: "Round", unit: "1" },
      y: { label: "y", unit },
      series: [{ name: "a", x: [1, 2], y: values }],
    }).layout.yaxis as { dtick?: number };
  assertEquals(axisOf("1", [1, 3]).dtick, 1);
  assertEquals(axisOf("1", [1, 500]).dtick, undefined);
  assertEquals(axisOf("1", [0.5, 3]).dtick, undefined);
  assertEquals(axisOf("ms", [1, 3]).dtick, undefined);
});
