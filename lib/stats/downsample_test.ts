import { assert, assertEquals, assertThrows } from "@std/assert";
import { downsample } from "./downsample.ts";
import { randomSource } from "./random.ts";

Deno.test("downsample keeps everything that fits", () => {
  assertEquals(downsample([1, 2, 3], [5, 5, 5], { limit: 4 }), { kept: [0, 1, 2], leftOut: 0 });
  assertEquals(downsample([], []), { kept: [], leftOut: 0 });
});

Deno.test("downsample keeps the limit, both ends, every extreme, and says what it left out", () => {
  const random = randomSource(4);
  const y = Array.from({ length: 50_000 }, () => random());
  const peaks = [7, 12_345, 49_000];
  for (const peak of peaks) y[peak] = 100;
  y[31_000] = -100;
  const { kept, leftOut } = downsample(y.map((_, index) => index), y);
  assert(kept.length <= 4000 && kept.length > 3900, `${kept.length}`);
  assertEquals(leftOut, 50_000 - kept.length);
  for (const place of [0, 49_999, 31_000, ...peaks]) assert(kept.includes(place), `${place}`);
  assertEquals(kept, [...kept].sort((a, b) => a - b));
});

Deno.test("downsample keeps the lowest and the highest point of every column", () => {
  const y = Array.from({ length: 1000 }, (_, index) => (index * 37) % 101);
  const { kept } = downsample(y.map((_, index) => index), y, { limit: 40 });
  for (let column = 0; column < 10; column++) {
    const inside = (places: readonly number[]) =>
      places.filter((place) => place >= column * 99.9 && place < (column + 1) * 99.9).map((place) =>
        y[place]!
      );
    const all = inside(y.map((_, index) => index));
    assertEquals(Math.min(...inside(kept)), Math.min(...all));
    assertEquals(Math.max(...inside(kept)), Math.max(...all));
  }
});

Deno.test("downsample copes with points at one place", () => {
  assertEquals(downsample(new Array(10).fill(1), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3], { limit: 4 }), {
    kept: [0, 1, 5, 9],
    leftOut: 6,
  });
});

Deno.test("downsample refuses points without a place", () => {
  assertThrows(() => downsample([1], [1, 2]), RangeError, "there are 1 and 2");
  assertThrows(() => downsample([1], [NaN]), RangeError, "point 0 is at 1, NaN");
  assertThrows(() => downsample([Infinity], [1]), RangeError, "point 0 is at Infinity, 1");
  assertThrows(() => downsample([1], [1], { limit: 3 }), RangeError, "current value is 3");
});
