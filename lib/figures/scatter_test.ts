import { assert, assertEquals, assertThrows } from "@std/assert";
import { scatter } from "./scatter.ts";

const AXES = { x: { label: "Order", unit: "1" }, y: { label: "Time", unit: "ms" } } as const;

Deno.test("scatter() draws points that are not joined, and lines where they are asked for", () => {
  const { data } = scatter({
    title: "Times",
    ...AXES,
    series: [
      { name: "measured", x: [0, 1], y: [2, 3] },
      { name: "empty", x: [], y: [], as: "line" },
      { name: "expected", x: [0, 1], y: [2, 2], as: "line" },
    ],
  });
  assertEquals(data.map(({ name, mode, x }) => [name, mode, x]), [
    ["measured", "markers", [0, 1]],
    ["expected", "lines", [0, 1]],
  ]);
});

Deno.test("scatter() gives a model the colour of what it is the model of, and others another", () => {
  const { data } = scatter({
    title: "Times",
    ...AXES,
    series: [
      { name: "raw", x: [0], y: [2] },
      { name: "expected", x: [0], y: [2], as: "line", like: "raw" },
      { name: "fetch", x: [0], y: [2] },
    ],
  });
  const [raw, expected, fetch] = data.map(({ marker, line }) =>
    ((marker ?? line) as { color: string }).color
  );
  assertEquals(raw, expected);
  assert(raw !== fetch);
});

Deno.test("scatter() draws at most 4,000 of many points, keeps the extremes and says so", () => {
  const y = Array.from({ length: 56_000 }, (_, place) => 1 + (place * 7919 % 1000) / 1000);
  y[31_415] = 250;
  const { data, layout } = scatter({
    title: "Times",
    ...AXES,
    series: [{ name: "measured", x: y.map((_, place) => place), y }],
  });
  const drawn = data[0]!.y as number[];
  assert(drawn.length > 3000 && drawn.length <= 4000, `${drawn.length}`);
  assertEquals(Math.max(...drawn), 250);
  assert(JSON.stringify(layout.title).includes("of 56,000 points drawn, extremes kept"));
});

Deno.test("scatter() refuses no values, and a logarithmic axis without a place for one", () => {
  assertThrows(() => scatter({ title: "Times", ...AXES, series: [] }), RangeError, "there are no values");
  const y = { ...AXES.y, scale: "log" } as const;
  const series = [{ name: "measured", x: [1], y: [0] }];
  assertThrows(() => scatter({ title: "Times", x: AXES.x, y, series }), RangeError, "above 0");
});
