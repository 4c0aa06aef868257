import { assert, assertEquals, assertThrows } from "@std/assert";
import { changePoint } from "./change_point.ts";
import { randomSource } from "./random.ts";

/** Numbers around a level, with a long tail upwards as times have. */
function around(level: number, count: number, random: () => number): number[] {
  return Array.from({ length: count }, () => level * (1 + 0.2 * random() + (random() < 0.01 ? 50 : 0)));
}

Deno.test("changePoint() finds a step among noise and outliers, with both levels", () => {
  const random = randomSource(3);
  for (const share of [0.1, 0.5, 0.9]) {
    const step = changePoint([
      ...around(13, 2000 * share, random),
      ...around(52, 2000 * (1 - share), random),
    ]);
    assert(step !== null && Math.abs(step.index - 2000 * share) <= 3, `${share}: ${step?.index}`);
    assert(step.ratio > 3.8 && step.ratio < 4.2);
    assert(step.explained > 0.5 && step.explained < 1);
  }
});

Deno.test("changePoint() finds a step downwards too", () => {
  const step = changePoint([...Array(30).fill(8), ...Array(30).fill(2)]);
  assertEquals([step?.index, step?.before, step?.after, step?.ratio], [30, 8, 2, 0.25]);
});

Deno.test("changePoint() sees none in noise, whatever its seed", () => {
  const found = Array.from({ length: 50 }, (_, seed) => changePoint(around(13, 300, randomSource(seed))));
  assertEquals(found.filter((change) => change !== null), []);
});

Deno.test("changePoint() does not take a slight drift for a step unless it is told to", () => {
  const drift = Array.from({ length: 1000 }, (_, place) => 10 + place / 1000);
  assertEquals(changePoint(drift), null);
  const told = changePoint(drift, { leastRatio: 1.04 });
  assert(told !== null && Math.abs(told.index - 500) < 20);
});

Deno.test("changePoint() does not take a ramp that few numbers are on, or too few numbers, for a step", () => {
  const ramp = Array.from({ length: 1000 }, (_, place) => 10 + (place % 7) + Math.max(0, place - 980));
  assertEquals(changePoint(ramp), null);
  assertEquals(changePoint([...Array(19).fill(1), ...Array(19).fill(9)]), null);
  assertEquals(changePoint([...Array(2000).fill(1), ...Array(30).fill(1.4)]), null);
  assertEquals(changePoint([5]), null);
});

Deno.test("changePoint() refuses what has no ratio", () => {
  assertThrows(() => changePoint([]), RangeError, "there are no values");
  assertThrows(() => changePoint([1, 0, 2]), RangeError, "value 1 is 0");
  assertThrows(() => changePoint([1, NaN]), RangeError);
});
