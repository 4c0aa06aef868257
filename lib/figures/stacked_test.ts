import { assertEquals, assertThrows } from "@std/assert";
import { stacked } from "./stacked.ts";

const x = { label: "Time", unit: "ms" } as const;
const groups = ["raw/new", "raw/shared"];

Deno.test("stacked lays the parts end to end and writes the sum behind them", () => {
  const { data, layout } = stacked({
    title: "t",
    x,
    groups,
    parts: [
      { name: "dns", values: [null, null] },
      { name: "connect", values: [0.06, null] },
      { name: "wait", values: [0.08, 0.002] },
    ],
  });
  assertEquals(data.map(({ name, x, text }) => ({ name, x, text })), [
    { name: "connect", x: [0.06, null], text: ["0.06", ""] },
    { name: "wait", x: [0.08, 0.002], text: ["0.08", ""] },
  ]);
  const sums = (layout.annotations as { y: string; text: string }[]).map(({ y, text }) => `${y} ${text}`);
  assertEquals(sums, ["raw/new <b>0.14</b> ms", "raw/shared <b>0.002</b> ms"]);
});

Deno.test("stacked refuses parts that do not fit", () => {
  const draw = (values: (number | null)[]) =>
    stacked({ title: "t", x, groups, parts: [{ name: "wait", values }] });
  assertThrows(() => draw([1]), RangeError, "a value for each of 2 groups: wait has 1");
  assertThrows(() => draw([1, -1]), RangeError, "no part may be negative: wait has -1");
  assertThrows(() => draw([1, NaN]), RangeError, "wait has NaN");
  assertThrows(() => draw([null, null]), RangeError, `"t" as there are no values`);
  assertThrows(() => stacked({ title: "t", x, groups: [], parts: [] }), RangeError, "there are no values");
});
