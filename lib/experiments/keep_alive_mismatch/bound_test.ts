import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { describeCount, upperBound } from "./bound.ts";

Deno.test("upperBound() of none is the rule of three", () => {
  for (const total of [20, 60, 300, 10_000]) {
    const bound = upperBound(0, total);
    assertEquals(bound < 3 / total && bound > 2.75 / total, true);
  }
});

Deno.test("upperBound() of some is the one-sided bound of Clopper and Pearson", () => {
  // Found apart from this code, by bisection of the exact sum of binomial terms.
  assertAlmostEquals(upperBound(1, 10), 0.3941633, 1e-6);
  assertAlmostEquals(upperBound(3, 60), 0.1241872, 1e-6);
  assertEquals(upperBound(7, 7), 1);
});

Deno.test("upperBound() refuses what is no share", () => {
  assertThrows(() => upperBound(0, 0), RangeError);
  assertThrows(() => upperBound(3, 2), RangeError);
});

Deno.test("a count of none is never told as 0 %", () => {
  assertEquals(describeCount(0, 60), "0 of 60 (at most 4.9 %)");
});
