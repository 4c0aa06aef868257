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

Deno.test("timeline fits a long watch into 4,000 points", () => {
  const timesMs = Array.from({ length: 20_000 }, (_, index) => index * 10);
  const values = timesMs.map((timeMs) => timeMs === 70_000 ? 9 : 1);
  const { data } = timeline({ title: "t", y, series: [{ name: "client", timesMs, values }] });
  const counts = data[0]!.y as number[];
  assert(counts.length <= 4000);
  assert(counts.includes(9));
});

Deno.test("timeline never draws an empty figure", () => {
  assertThrows(() => timeline({ title: "t", y, series: [] }), RangeError, `"t" as there are no values`);
});
