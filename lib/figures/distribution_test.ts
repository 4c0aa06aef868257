import { assert, assertEquals, assertThrows } from "@std/assert";
import { randomSource } from "../stats/mod.ts";
import { distribution } from "./distribution.ts";

const y = { label: "Latency", unit: "ms" } as const;

Deno.test("distribution draws every value against its percentile, the largest one too", () => {
  const { data, layout } = distribution({
    title: "t",
    y,
    samples: [{ name: "raw/new", values: Float64Array.of(3, 1, NaN, 2, 40) }],
  });
  assertEquals(data[0]!.x, [1, 0.75, 0.5, 0.25]);
  assertEquals(data[0]!.y, [1, 2, 3, 40]);
  const axis = layout.xaxis as { type: string; range: number[]; ticktext: string[]; title: { text: string } };
  assertEquals([axis.type, axis.title.text, axis.ticktext], ["log", "Percentile of requests", [
    "0%",
    "50%",
    "75%",
  ]]);
  assert(axis.range[0] === 0 && axis.range[1]! < Math.log10(0.25));
  assertEquals((layout.yaxis as { type: string }).type, "log");
  assert(!JSON.stringify(layout).includes("measured"));
});

Deno.test("distribution keeps the tail of a large sample and labels as many nines as it has", () => {
  const random = randomSource(2);
  const values = Array.from({ length: 100_000 }, () => 1 - Math.log(1 - random()));
  values[500] = 1000;
  const { data, layout } = distribution({ title: "t", y, samples: [{ name: "a", values }] });
  const [{ x, y: latencies }] = data as unknown as [{ x: number[]; y: number[] }];
  assert(x.length <= 4000);
  const title = JSON.stringify(layout.title).replaceAll("<br>", " ");
  assert(title.includes("100,000 requests measured; curves thinned, extremes kept"), title);
  assertEquals([x.at(-1), latencies.at(-1)], [0.00001, 1000]);
  // The ten slowest are all there.
  assertEquals(x.filter((share) => share <= 0.0001).length, 10);
  assertEquals((layout.xaxis as { ticktext: string[] }).ticktext.at(-1), "99.999%");
});

Deno.test("distribution draws a histogram as the values that it counts", () => {
  const values = [1, 2, 2, 2, 40];
  const [given, counted] = [{ values }, { values: [2, NaN, 1, 40], counts: [3, 9, 1, 1] }].map((sample) =>
    distribution({ title: "t", y, samples: [{ name: "a", ...sample }] })
  );
  assertEquals(counted, given);
});

Deno.test("distribution shows a zero on a linear axis instead of losing it", () => {
  const samples = [{ name: "a", values: [0, 1, 2] }];
  assertEquals((distribution({ title: "t", y, samples }).layout.yaxis as { type: string }).type, "linear");
  assertThrows(
    () => distribution({ title: "t", y: { ...y, scale: "log" }, samples }),
    RangeError,
    "must be above 0 on a logarithmic axis: a has 0",
  );
});

Deno.test("distribution makes a single value visible", () => {
  assertEquals(
    distribution({ title: "t", y, samples: [{ name: "a", values: [5] }] }).data[0]!.mode,
    "markers",
  );
});

Deno.test("distribution never draws an empty figure", () => {
  assertThrows(() => distribution({ title: "t", y, samples: [] }), RangeError, `"t" as there are no values`);
  assertThrows(
    () => distribution({ title: "t", y, samples: [{ name: "a", values: [NaN] }] }),
    RangeError,
    "there are no values",
  );
});
