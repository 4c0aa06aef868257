import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { linearFit } from "./linear_fit.ts";

Deno.test("linearFit() finds a line that the points lie on, without a doubt", () => {
  const { slope, intercept, low, high } = linearFit([0, 10, 20, 30], [5, 25, 45, 65]);
  for (const [found, true_] of [[slope, 2], [intercept, 5], [low!, 2], [high!, 2]] as const) {
    assertAlmostEquals(found, true_, 1e-9);
  }
});

Deno.test("linearFit() gives the interval of the handbook's formula", () => {
  // Slope 1.2, residuals 0.2, -0.4, 0.2: s² = 0.24 / 1, spread 2, t 12.706 with one degree of freedom.
  const { slope, low, high } = linearFit([1, 2, 3], [1, 1.6, 3.4]);
  assertAlmostEquals(slope, 1.2);
  assertAlmostEquals(high! - slope, 12.706 * Math.sqrt(0.24 / 2), 1e-9);
  assertAlmostEquals(slope - low!, high! - slope, 1e-9);
});

Deno.test("linearFit() gives no interval of two points", () => {
  assertEquals(linearFit([1, 2], [1, 3]), { slope: 2, intercept: -1, low: null, high: null });
});

Deno.test("linearFit() refuses what no line goes through", () => {
  assertThrows(() => linearFit([1, 1], [1, 2]), RangeError, "two places that differ");
  assertThrows(() => linearFit([1, 2], [1]), RangeError, "2 places for 1 values");
  assertThrows(() => linearFit([1, NaN], [1, 2]), RangeError);
});
