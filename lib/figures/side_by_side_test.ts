import { assertEquals, assertThrows } from "@std/assert";
import { sideBySide } from "./side_by_side.ts";

const x = { label: "Connections", unit: "1" } as const;
const draw = (values: (number | null)[][], groups = ["one", "two"], axis: { scale?: "log" } = {}) =>
  sideBySide({
    title: "t",
    x: { ...x, ...axis },
    groups,
    parts: values.map((values, index) => ({ name: ["predicted", "observed"][index]!, values })),
  });

Deno.test("sideBySide draws a bar of every part for each group, with its number", () => {
  const { data } = draw([[1000, 2000], [1000, null]]);
  assertEquals(data.map(({ name, y, x, text }) => ({ name, y, x, text })), [
    { name: "predicted", y: ["one", "two"], x: [1000, 2000], text: ["1,000", "2,000"] },
    { name: "observed", y: ["one", "two"], x: [1000, null], text: ["1,000", ""] },
  ]);
});

Deno.test("sideBySide leaves out a group without any value, and says so", () => {
  const { data, layout } = draw([[null, 2], [null, 3]]);
  assertEquals(data.map(({ y, x }) => [y, x]), [[["two"], [2]], [["two"], [3]]]);
  assertEquals(JSON.stringify(layout.title).includes("no values: one"), true);
});

Deno.test("sideBySide refuses what does not fit", () => {
  assertThrows(() => draw([[1], [1, 2]]), RangeError, "a value for each of 2 groups: predicted has 1");
  assertThrows(() => draw([[null, null]]), RangeError, `"t" as there are no values`);
  assertThrows(() => draw([], []), RangeError, "there are no values");
  assertThrows(() => draw([[0, 1]], undefined, { scale: "log" }), RangeError, "shows no value of 0 or less");
});
