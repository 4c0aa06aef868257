import { assertEquals } from "@std/assert";
import { findPlateau } from "./plateau.ts";

const points = (...rates: readonly (readonly [connections: number, ratePerSecond: number])[]) =>
  rates.map(([connections, ratePerSecond]) => ({ connections, ratePerSecond }));

Deno.test("findPlateau() finds where more connections bring no more, whatever the order of the points", () => {
  const rates = points([1, 120], [50, 124], [4, 123], [16, 122]);
  assertEquals(findPlateau(rates)?.from, 1);
  assertEquals(findPlateau(points([16, 900], [1, 100], [4, 880], [2, 400]))?.from, 4);
});

Deno.test("findPlateau() finds none where the rate still rises, falls, or was seen once", () => {
  assertEquals(findPlateau(points([1, 100], [2, 200], [4, 400])), null);
  assertEquals(findPlateau(points([1, 400], [2, 300], [4, 100])), null);
  assertEquals(findPlateau(points([8, 100])), null);
  assertEquals(findPlateau([]), null);
});

Deno.test("findPlateau() takes no two points side by side for a plateau", () => {
  assertEquals(findPlateau(points([1, 100], [8, 800], [9, 805])), null);
  assertEquals(findPlateau(points([1, 100], [8, 800], [16, 805]))?.from, 8);
});

Deno.test("findPlateau() bounds how far each rate may be from the median", () => {
  const rates = points([1, 100], [2, 110], [4, 100]);
  assertEquals(findPlateau(rates)?.from, 1);
  assertEquals(findPlateau(rates, 0.04), null);
});

Deno.test("findPlateau() finds none where nothing was answered", () => {
  assertEquals(findPlateau(points([1, 0], [2, 0], [4, 0])), null);
});
