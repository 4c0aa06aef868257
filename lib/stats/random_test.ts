import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { randomSource, shuffle } from "./random.ts";

function draw(seed: number, count: number): number[] {
  const random = randomSource(seed);
  return Array.from({ length: count }, random);
}

Deno.test("randomSource gives the same numbers for the same seed and others for another", () => {
  assertEquals(draw(42, 100), draw(42, 100));
  assertNotEquals(draw(42, 100), draw(43, 100));
});

Deno.test("randomSource keeps its numbers from version to version, as old runs rely on them", () => {
  assertEquals(draw(1, 3).map((number) => number.toFixed(6)), ["0.689408", "0.100767", "0.007320"]);
});

Deno.test("randomSource stays in [0, 1) and fills it evenly", () => {
  const tenths = new Array<number>(10).fill(0);
  for (const number of draw(5, 10_000)) {
    assert(number >= 0 && number < 1);
    tenths[Math.floor(number * 10)]!++;
  }
  for (const count of tenths) assert(count > 850 && count < 1150, `${tenths}`);
});

Deno.test("randomSource scatters the first numbers of neighbouring seeds", () => {
  const firsts = Array.from({ length: 200 }, (_, seed) => draw(seed, 1)[0]!);
  assert(firsts.filter((number) => number < 0.5).length > 75);
  assert(firsts.filter((number) => number >= 0.5).length > 75);
});

Deno.test("randomSource refuses a seed that is not a whole number of 32 bits", () => {
  for (const seed of [-1, 0.5, 2 ** 32, NaN]) {
    assertThrows(() => randomSource(seed), RangeError, `current value is ${seed}`);
  }
  draw(2 ** 32 - 1, 1);
});

Deno.test("shuffle gives every order about equally often and leaves the items alone", () => {
  const items = ["a", "b", "c"];
  const random = randomSource(9);
  const seen = new Map<string, number>();
  for (let turn = 0; turn < 6000; turn++) {
    const order = shuffle(items, random).join("");
    seen.set(order, (seen.get(order) ?? 0) + 1);
  }
  assertEquals([...seen.keys()].sort(), ["abc", "acb", "bac", "bca", "cab", "cba"]);
  for (const count of seen.values()) assert(count > 880 && count < 1120, `${[...seen]}`);
  assertEquals(items, ["a", "b", "c"]);
});

Deno.test("shuffle accepts nothing and one", () => {
  assertEquals(shuffle([], randomSource(1)), []);
  assertEquals(shuffle([1], randomSource(1)), [1]);
});
