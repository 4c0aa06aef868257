import { assertEquals, assertThrows } from "@std/assert";
import { bars } from "./bars.ts";

const y = { label: "Elapsed", unit: "ms" } as const;

Deno.test("bars draws a bar a variant with its interval and its number", () => {
  const { data, layout } = bars({
    title: "t",
    y,
    bars: [
      { name: "raw/new", value: 81.23456, low: 80, high: 83 },
      { name: "raw/shared", value: 720_512, low: null },
    ],
  });
  assertEquals(data.map(({ y }) => y), [[81.23], [720_500]]);
  const { array, arrayminus } = data[0]!.error_y as { array: number[]; arrayminus: number[] };
  assertEquals([array, arrayminus], [[1.765], [1.235]]);
  assertEquals(data[1]!.error_y, undefined);
  assertEquals((layout.xaxis as { ticktext: string[] }).ticktext, [
    "raw/new<br><b>81.23</b> ms",
    "raw/shared<br><b>720,500</b> ms",
  ]);
});

Deno.test("bars leaves out what was not measured and says so", () => {
  const { data, layout } = bars({
    title: "t",
    y,
    bars: [{ name: "a", value: 1 }, { name: "b", value: null }],
  });
  assertEquals(data.map(({ name }) => name), ["a"]);
  assertEquals((layout.title as { subtitle: { text: string } }).subtitle.text, "no values: b");
});

Deno.test("bars never draws an empty figure", () => {
  assertThrows(() => bars({ title: "t", y, bars: [] }), RangeError, `"t" as there are no values`);
  assertThrows(() => bars({ title: "t", y, bars: [{ name: "a", value: null }] }), RangeError, "no values");
});
