import { assertEquals } from "@std/assert";
import { build, encodeIntoCompressedBase64 } from "hdr-histogram-js";
import { readLatencies } from "./latencies.ts";

function encoded(...us: readonly number[]): string {
  const histogram = build({ lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000 });
  for (const value of us) histogram.recordValue(value);
  return encodeIntoCompressedBase64(histogram);
}

Deno.test("readLatencies() adds histograms up, and gives percentiles of all their times", () => {
  const { count, maxMs, percentileMs, times } = readLatencies([encoded(100, 200), "", encoded(200, 900)]);
  assertEquals({ count, maxMs }, { count: 4, maxMs: 0.9 });
  assertEquals([0, 25, 50, 75, 76, 100].map(percentileMs), [0.1, 0.1, 0.2, 0.2, 0.9, 0.9]);
  assertEquals(times, [{ ms: 0.1, count: 1 }, { ms: 0.2, count: 2 }, { ms: 0.9, count: 1 }]);
});

Deno.test("readLatencies() keeps three digits, and names no time beyond the longest step", () => {
  const { maxMs, percentileMs } = readLatencies([encoded(1_234_567)]);
  assertEquals(percentileMs(50), maxMs);
  assertEquals(Math.abs(maxMs! - 1234.567) < 1.3, true);
});

Deno.test("no times have neither percentile nor maximum", () => {
  const { count, maxMs, percentileMs, times } = readLatencies(["", encoded()]);
  assertEquals({ count, maxMs, median: percentileMs(50), times }, {
    ...{ count: 0, maxMs: null, median: null, times: [] },
  });
});
