import { assertEquals, assertThrows } from "@std/assert";
import { exceedance } from "./exceedance.ts";

Deno.test("exceedance counts what is at least as large, equal values once", () => {
  assertEquals(exceedance(Float64Array.of(5, 1, 5, 10, 5)), {
    values: [1, 5, 10],
    shares: [1, 0.8, 0.2],
  });
});

Deno.test("exceedance of values with counts is that of every one of them", () => {
  assertEquals(exceedance([5, 1, 10], [3, 1, 1]), exceedance([5, 1, 5, 10, 5]));
  assertThrows(() => exceedance([1, 2], [1]), RangeError, "each of 2 values needs a count: there are 1");
});

Deno.test("exceedance of one value is the whole of it", () => {
  assertEquals(exceedance([4]), { values: [4], shares: [1] });
});

Deno.test("exceedance refuses what has no distribution", () => {
  assertThrows(() => exceedance([]), RangeError, "there are no values");
  assertThrows(() => exceedance([1, NaN]), RangeError, "value 1 is NaN");
});
