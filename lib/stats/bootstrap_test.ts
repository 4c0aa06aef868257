import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { bootstrapMean, bootstrapRatio, bootstrapRounds, LEAST_FOR_INTERVAL } from "./bootstrap.ts";
import { randomSource } from "./random.ts";

const rounds = [10, 12, 9, 11, 13, 10, 8, 12, 11, 10];

Deno.test("bootstrapMean is the same for the same random numbers and another for others", () => {
  const of = (seed: number) => bootstrapMean(rounds, { random: randomSource(seed) });
  assertEquals(of(1), of(1));
  const sharp = rounds.map((value, round) => value + Math.sqrt(round));
  const ofSharp = (seed: number) => bootstrapMean(sharp, { random: randomSource(seed) });
  assertNotEquals(ofSharp(1), ofSharp(2));
});

Deno.test("bootstrapMean comes near the interval that theory gives", () => {
  const { value, low, high } = bootstrapMean(rounds, { random: randomSource(3), resamples: 10_000 });
  assertEquals(value, 10.6);
  // The standard error with divisor n is √(2.04 / 10) = 0.4517; 1.96 of it on either side.
  assert(Math.abs(low! - (10.6 - 0.885)) < 0.1, `${low}`);
  assert(Math.abs(high! - (10.6 + 0.885)) < 0.1, `${high}`);
});

Deno.test("bootstrapMean's intervals hold the true mean about as often as they claim", () => {
  const random = randomSource(11);
  let held = 0;
  for (let experiment = 0; experiment < 200; experiment++) {
    const values = Array.from({ length: 20 }, () => random() + random() + random());
    const { low, high } = bootstrapMean(values, { random, resamples: 400 });
    if (low! <= 1.5 && high! >= 1.5) held++;
  }
  assert(held >= 176 && held <= 198, `${held} of 200`);
});

Deno.test("bootstrapMean's interval is wider for a higher confidence", () => {
  const width = (confidence: number) => {
    const { low, high } = bootstrapMean(rounds, { random: randomSource(1), confidence });
    return high! - low!;
  };
  assert(width(0.99) > width(0.9));
});

Deno.test("too few values have a value and no interval", () => {
  const few = rounds.slice(0, LEAST_FOR_INTERVAL - 1);
  const random = randomSource(1);
  assertEquals(bootstrapMean(few, { random }), { value: 10.5, low: null, high: null });
  assertEquals(bootstrapRatio({ numerators: few, denominators: few }, { random }), {
    value: 1,
    low: null,
    high: null,
  });
  assert(bootstrapMean(rounds.slice(0, LEAST_FOR_INTERVAL), { random }).low !== null);
});

Deno.test("bootstrapRatio is a ratio of sums, not a mean of ratios", () => {
  const pairs = { numerators: [1, 100], denominators: [1, 10] };
  assertEquals(bootstrapRatio(pairs, { random: randomSource(1) }).value, 101 / 11);
});

Deno.test("bootstrapRatio draws rounds as pairs, so that a slow machine cancels out", () => {
  const load = [1, 5, 2, 9, 3, 7];
  const pairs = { numerators: load.map((factor) => 3 * factor), denominators: load };
  assertEquals(bootstrapRatio(pairs, { random: randomSource(1) }), { value: 3, low: 3, high: 3 });
});

Deno.test("bootstrapRounds draws all of a round together, and as the others do", () => {
  const over = (rounds: number, value: (round: number) => number) =>
    bootstrapRounds(
      rounds,
      (drawn) => Array.from(drawn).reduce((sum, round) => sum + value(round), 0) / drawn.length,
      {
        random: randomSource(1),
      },
    );
  assertEquals(
    over(rounds.length, (round) => rounds[round]!),
    bootstrapMean(rounds, { random: randomSource(1) }),
  );
  assertEquals(over(LEAST_FOR_INTERVAL - 1, (round) => round).low, null);
  assertThrows(() => over(0, () => 1), RangeError, "current value is 0");
});

Deno.test("bootstrap functions refuse what has no answer", () => {
  const random = randomSource(1);
  assertThrows(() => bootstrapMean([], { random }), RangeError, "there are no values");
  assertThrows(() => bootstrapMean([1, NaN], { random }), RangeError, "value 1 is NaN");
  assertThrows(() => bootstrapMean([1], { random, resamples: 0 }), RangeError, "current value is 0");
  assertThrows(() => bootstrapMean([1], { random, confidence: 1 }), RangeError, "current value is 1");
  assertThrows(
    () => bootstrapRatio({ numerators: [1, 2], denominators: [1] }, { random }),
    RangeError,
    "there are 2 and 1",
  );
  assertThrows(
    () => bootstrapRatio({ numerators: [1, 2], denominators: [1, 0] }, { random }),
    RangeError,
    "denominator 1 is 0",
  );
});
