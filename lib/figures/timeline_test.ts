import { assert, assertEquals, assertThrows } from "@std/assert";
import { timeline } from "./timeline.ts";

const y = { label: "Sockets in TIME_WAIT", unit: "1" } as const;

Deno.test("timeline draws steps over seconds", () => {
  const { data, layout } = timeline({
    title: "t",
    y,
    series: [{ name: "client", timesMs: [0, 250, 60_500], values: [0, 500, 0] }],
  });
  assertEquals(data[0]!.x, [0, 0.25, 60.5]);
  assertEquals(data[0]!.y, [0, 500, 0]);
  assertEquals((data[0]!.line as { shape: string }).shape, "hv");
  const axis = layout.xaxis as { range: number[]; title: { text: string } };
  assertEquals(axis.title.text, "Time since the run began (s)");
  assert(axis.range[1]! > 60.5);
});

Deno.test("timeline leaves out what repeats the value before, but for the end", () => {
  const [trace] = timeline({
    title: "t",
    y,
    series: [{ name: "client", timesMs: [0, 1000, 2000, 3000, 4000, 5000], values: [0, 7, 7, 7, 0, 0] }],
  }).data;
  assertEquals([trace!.x, trace!.y], [[0, 1, 4, 5], [0, 7, 0, 0]]);
});

Deno.test("timeline fits a long watch into 4,000 points", () => {
  const timesMs = Array.from({ length: 20_000 }, (_, index) => index * 10);
  const values = timesMs.map((timeMs) => timeMs === 70_000 ? 9 : timeMs % 3);
  const { data } = timeline({ title: "t", y, series: [{ name: "client", timesMs, values }] });
  const counts = data[0]!.y as number[];
  assert(counts.length <= 4000);
  assert(counts.includes(9));
});

Deno.test("timeline never draws an empty figure", () => {
  assertThrows(() => timeline({ title: "t", y, series: [] }), RangeError, `"t" as there are no values`);
});

Deno.test("timeline marks what happened meanwhile with a line and its words", () => {
  const series = [{ name: "client", timesMs: [0, 3000], values: [3, 0] }];
  const { shapes, annotations } = timeline({ title: "t", y, series, marks: [{ atMs: 2750, text: "moved" }] })
    .layout as { shapes: { x0: number }[]; annotations: { x: number; text: string }[] };
  assertEquals(shapes.map(({ x0 }) => x0), [2.75]);
  assertEquals(annotations.map(({ x, text }) => [x, text]), [[2.75, "moved"]]);
  assertEquals("shapes" in timeline({ title: "t", y, series }).layout, false);
});
