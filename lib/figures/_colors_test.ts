import { assertEquals, assertNotEquals } from "@std/assert";
import { colorsOf, inkOn } from "./_colors.ts";
import { distribution } from "./distribution.ts";
import { groupedPoints } from "./grouped_points.ts";

Deno.test("a variant has the same colour in every figure, whatever stands beside it", () => {
  const [points] = groupedPoints({
    title: "t",
    x: { label: "Round", unit: "1" },
    y: { label: "Elapsed", unit: "ms" },
    series: ["other", "fetch/new", "raw/new"].map((name) => ({ name, x: [1, 2], y: [1, 2] })),
  }).data.filter(({ name }) => name === "raw/new");
  const [tail] = distribution({
    title: "t",
    y: { label: "Latency", unit: "ms" },
    samples: [{ name: "raw/new", values: [1, 2] }],
  }).data;
  assertEquals((points!.line as { color: string }).color, (tail!.line as { color: string }).color);
});

Deno.test("names in one figure have colours of their own", () => {
  const names = ["a", "fetch/new", "b", "raw/shared", "c", "d"];
  assertEquals(new Set(colorsOf(names)).size, names.length);
  assertNotEquals(colorsOf(["fetch/new"]), colorsOf(["fetch/shared"]));
});

Deno.test("there is a colour for any number of names", () => {
  assertEquals(colorsOf(Array.from({ length: 30 }, (_, index) => `${index}`)).filter(Boolean).length, 30);
});

Deno.test("text on a colour can be read", () => {
  assertEquals([inkOn("#332288"), inkOn("#88CCEE"), inkOn("#DDCC77")], ["#FFFFFF", "#222222", "#222222"]);
});
