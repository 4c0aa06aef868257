import { assertEquals, assertThrows } from "@std/assert";
import { quantile, summary } from "./quantile.ts";

Deno.test("quantile gives R's quantile(x, p, type = 7)", () => {
  const values = [3, 1, 4, 1, 5, 9, 2, 6];
  const found = [0, 0.1, 0.25, 0.5, 0.9, 1].map((p) => quantile(values, p).toFixed(9));
  assertEquals(found.map(Number), [1, 1, 1.75, 3.5, 6.9, 9]);
});

Deno.test("quantile sorts by number, takes typed arrays and leaves the values alone", () => {
  const values = Float64Array.of(10, 9, 100);
  assertEquals(quantile(values, 0.5), 10);
  assertEquals([...values], [10, 9, 100]);
  assertEquals(quantile([7], 0.99), 7);
});

Deno.test("quantile and summary refuse what has no answer", () => {
  assertThrows(() => quantile([], 0.5), RangeError, "Cannot compute quantile as there are no values");
  assertThrows(() => quantile([1, NaN], 0.5), RangeError, "value 1 is NaN");
  assertThrows(() => quantile([1, Infinity], 0.5), RangeError, "value 1 is Infinity");
  for (const p of [-0.1, 1.1, NaN]) assertThrows(() => quantile([1], p), RangeError, `current value is ${p}`);
  assertThrows(() => summary([]), RangeError, "Cannot compute summary as there are no values");
});

Deno.test("summary describes a thousand values", () => {
  const values = Array.from({ length: 1001 }, (_, index) => 1000 - index);
  assertEquals(summary(values), {
    count: 1001,
    mean: 500,
    median: 500,
    p90: 900,
    p99: 990,
    min: 0,
    max: 1000,
  });
});
