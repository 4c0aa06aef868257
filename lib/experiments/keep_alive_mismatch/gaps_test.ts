import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { describeGaps, drawGaps, EXAMPLE_GAPS, type Gaps, gapsParam } from "./gaps.ts";

const gaps = gapsParam({ default: { ratePerSecond: 1 }, help: "gaps" });

Deno.test("gaps are read as a process or as a list, and the recorded form gives the same again", () => {
  for (
    const [given, value] of [
      ["poisson:0.2", { ratePerSecond: 0.2 }],
      ["poisson:0.0000001", { ratePerSecond: 1e-7 }],
      ["0.5, 2,10", { gapsMs: [500, 2000, 10_000] }],
      ["0.5\n2\n", { gapsMs: [500, 2000] }],
      [[0.5, 2], { gapsMs: [500, 2000] }],
    ] as const
  ) {
    assertEquals(gaps.parse(given), { value });
    assertEquals(gaps.parse(gaps.format(value)), { value });
  }
});

Deno.test("whatever gaps are accepted, their recorded form is accepted too and means the same", () => {
  const rate = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => `poisson:${value}`);
  const list = fc.array(fc.double({ min: 0, max: 86_400, noNaN: true }), { minLength: 1, maxLength: 20 });
  fc.assert(fc.property(fc.oneof(rate, list), (given) => {
    const outcome = gaps.parse(given);
    if ("must" in outcome) return assertEquals(Number(String(given).split(":")[1]), 0);
    const again = gaps.parse(gaps.format(outcome.value));
    assert("value" in again, JSON.stringify(given));
    const numbers = (value: Gaps) => "gapsMs" in value ? value.gapsMs : [value.ratePerSecond];
    assertEquals(Object.keys(again.value), Object.keys(outcome.value));
    numbers(outcome.value).forEach((number, index) =>
      assertAlmostEquals(numbers(again.value)[index]!, number, number * 1e-15)
    );
  }));
});

Deno.test("gaps that are none are refused with what they must be", () => {
  const must = (given: unknown) => {
    const outcome = gaps.parse(given);
    return "must" in outcome ? outcome.must : null;
  };
  for (const rate of ["0", "-1", "x", "2,5", ""]) {
    assertStringIncludes(must(`poisson:${rate}`)!, "poisson:RATE with a rate above 0");
  }
  for (const given of ["1,x", "1s", "0.5;2"]) {
    assertStringIncludes(must(given)!, "numbers, separated by commas");
  }
  for (const given of ["-1", "90000", [], ["1"], [NaN], new Array(10_001).fill(1)]) {
    assertEquals(must(given), "1 to 10000 gaps, each from 0 to 86400 s");
  }
  assertEquals(must(""), "at least one number");
  assertStringIncludes(must(5)!, "poisson:RATE");
});

Deno.test("drawn gaps have the mean of the process and are the same for the same seed", () => {
  const drawn = drawGaps({ ratePerSecond: 0.5 }, 7);
  assertEquals(drawn, drawGaps({ ratePerSecond: 0.5 }, 7));
  const mean = drawn.reduce((sum, gapMs) => sum + gapMs, 0) / drawn.length;
  assertEquals(Math.round(mean / 500), 4);
  assertEquals(drawGaps({ gapsMs: [3] }, 7), [3]);
});

Deno.test("gaps are told in words", () => {
  assertEquals(describeGaps({ gapsMs: [1, 2] }), "2 gaps of one's own");
  assertEquals(describeGaps({ ratePerSecond: 2 }), "a Poisson process of 2 requests per second");
  assertEquals(
    describeGaps(EXAMPLE_GAPS),
    "a Poisson process of 0.2 requests per second, an example (--gaps for your own)",
  );
});
