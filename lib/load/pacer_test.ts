import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { type OpenArrivals, Pacer, type PacerOptions } from "./pacer.ts";

function startsOf(arrivals: OpenArrivals, options: PacerOptions): number[] {
  const starts: number[] = [];
  const pacer = new Pacer(arrivals, options);
  for (; pacer.nextMs < Infinity; pacer.advance()) starts.push(pacer.nextMs);
  return starts;
}

/** The starts of all parts, in order. */
function together(arrivals: OpenArrivals, options: PacerOptions, parts: number): number[] {
  return Array.from({ length: parts }, (_, part) => startsOf(arrivals, { ...options, part, parts }))
    .flat().sort((a, b) => a - b);
}

const CONSTANT: OpenArrivals = { loop: "open", ratePerSecond: 1000, spacing: "constant" };
const POISSON: OpenArrivals = { loop: "open", ratePerSecond: 1000, spacing: "poisson" };

Deno.test("Pacer spaces requests evenly and does not drift", () => {
  const arrivals: OpenArrivals = { ...CONSTANT, ratePerSecond: 3 };
  const starts = startsOf(arrivals, { durationMs: 3_600_000 });
  assertEquals(starts.length, 10_800);
  assertEquals(starts[10_797], 3_599_000);
});

Deno.test("Pacer ends with the duration or with the requests, whichever is first", () => {
  assertEquals(startsOf(CONSTANT, { durationMs: 4 }), [0, 1, 2, 3]);
  assertEquals(startsOf(CONSTANT, { durationMs: 4, requests: 2 }), [0, 1]);
  assertEquals(startsOf(CONSTANT, { durationMs: 4, requests: 0 }), []);
  const pacer = new Pacer(CONSTANT, { durationMs: 4, requests: 1 });
  pacer.advance();
  pacer.advance();
  assertEquals(pacer.nextMs, Infinity);
});

Deno.test("Pacer splits a load so that its parts together are the whole", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(CONSTANT, POISSON),
      fc.integer({ min: 1, max: 9 }),
      fc.option(fc.nat({ max: 250 })),
      fc.nat(),
      (arrivals, parts, requests, seed) => {
        const options = { durationMs: 200, requests, seed };
        const counts = Array.from(
          { length: parts },
          (_, part) => startsOf(arrivals, { ...options, part, parts }).length,
        );
        assertEquals(together(arrivals, options, parts), startsOf(arrivals, options));
        assert(Math.max(...counts) - Math.min(...counts) <= 1, `${counts}`);
      },
    ),
    { seed: 20_261_130, numRuns: 200 },
  );
});

Deno.test("Pacer draws a Poisson process from the seed", () => {
  const options = { durationMs: 20_000, seed: 5 };
  const starts = startsOf(POISSON, options);
  assertEquals(startsOf(POISSON, options), starts);
  assert(startsOf(POISSON, { ...options, seed: 6 })[0] !== starts[0]);
  // The count of a Poisson process has the standard deviation of its root: 20,000 ± 141.
  assert(Math.abs(starts.length - 20_000) < 5 * 141, `${starts.length}`);
  const gaps = starts.map((atMs, place) => atMs - (starts[place - 1] ?? 0));
  assert(gaps.every((gap) => gap >= 0));
  // Exponential gaps: a share of 1/e of them is longer than their mean, where even ones have none or all.
  const longShare = gaps.filter((gap) => gap > 1).length / gaps.length;
  assert(Math.abs(longShare - Math.exp(-1)) < 0.02, `${longShare}`);
});

Deno.test("Pacer refuses a rate, a duration and a part that make no sense", () => {
  for (const ratePerSecond of [0, -1, NaN, Infinity]) {
    assertThrows(
      () => new Pacer({ ...CONSTANT, ratePerSecond }, { durationMs: 1 }),
      RangeError,
      `Cannot pace requests as ratePerSecond must be > 0: current value is ${ratePerSecond}`,
    );
  }
  assertThrows(() => new Pacer(CONSTANT, { durationMs: 0 }), RangeError, "durationMs must be > 0");
  for (const [part, parts] of [[2, 2], [-1, 2], [0, 0], [0.5, 2]] as const) {
    assertThrows(
      () => new Pacer(CONSTANT, { durationMs: 1, part, parts }),
      RangeError,
      `${part} of ${parts}`,
    );
  }
});
