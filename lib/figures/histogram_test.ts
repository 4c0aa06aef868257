import { assertEquals, assertThrows } from "@std/assert";
import { histogram } from "./histogram.ts";

const x = { label: "Time", unit: "ms" } as const;

Deno.test("histogram() counts every value once, in bins between two that are empty", () => {
  const values = [0.01, 0.0105, 0.0999, 0.1, 0.2, NaN];
  const { data } = histogram({ title: "Times", x, samples: [{ name: "raw", values }] });
  const counts = data[0]!.y as number[];
  const edges = data[0]!.x as number[];
  assertEquals(counts.reduce((sum, count) => sum + count, 0), 5);
  assertEquals([counts[0], counts.at(-1)], [0, 0]);
  // A decade has twenty bins, and a value at an edge belongs to the bin that begins there.
  assertEquals(edges.slice(0, 3), [0.008913, 0.01, 0.01122]);
  assertEquals(counts[1], 2);
  assertEquals(counts[edges.indexOf(0.1)], 1);
});

Deno.test("histogram() names the groups that have no values, and refuses when none has", () => {
  const samples = [{ name: "raw", values: [1] }, { name: "fetch", values: [] }];
  const { data, layout } = histogram({ title: "Times", x, samples });
  assertEquals(data.map(({ name }) => name), ["raw"]);
  assertEquals(JSON.stringify(layout.title).includes("no values: fetch"), true);
  assertThrows(() => histogram({ title: "Times", x, samples: samples.slice(1) }), RangeError, "no values");
});

Deno.test("histogram() refuses what has no place on a logarithmic axis", () => {
  const samples = [{ name: "raw", values: [1, 0] }];
  assertThrows(() => histogram({ title: "Times", x, samples }), RangeError, "above 0: there is 0");
});
