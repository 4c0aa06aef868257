import { assertEquals } from "@std/assert";
import { readLatencies } from "./latencies.ts";
import { addHistograms, encodeCounts, TimeHistogram } from "./time_histogram.ts";

function histogramOf(...timesMs: readonly number[]): string {
  const histogram = new TimeHistogram(10_000);
  for (const ms of timesMs) histogram.record(ms);
  return histogram.encode();
}

Deno.test("TimeHistogram: short times are told to the microsecond, long ones within 0.1 %", () => {
  const { times } = readLatencies([histogramOf(0, 0.001, 0.0014, 2.047, 2.048, 5000)]);
  assertEquals(times.slice(0, 3), [{ ms: 0, count: 1 }, { ms: 0.001, count: 2 }, { ms: 2.047, count: 1 }]);
  const [first, second] = times.slice(3);
  assertEquals([first!.ms - 2.048 < 0.002, Math.abs(second!.ms - 5000) <= 5, times.length], [true, true, 5]);
});

Deno.test("TimeHistogram: a time longer than was expected is kept", () => {
  const histogram = new TimeHistogram(1);
  histogram.record(60_000);
  assertEquals(Math.round(readLatencies([histogram.encode()]).maxMs! / 100), 600);
});

Deno.test("TimeHistogram: without a time there is no text", () => {
  assertEquals(histogramOf(), "");
});

Deno.test("encodeCounts() tells of copied counts what the histogram told then", () => {
  const histogram = new TimeHistogram(1000);
  assertEquals(encodeCounts(histogram.counts()), "");
  // The last one is longer than was expected.
  const timesMs = [0, 0.001, 2.047, 2.048, 3.333, 999.4, 999.4, 70_000];
  for (const ms of timesMs) histogram.record(ms);
  const counts = histogram.counts();
  histogram.record(5);
  const times = readLatencies([encodeCounts(counts)]).times;
  assertEquals(times, readLatencies([histogramOf(...timesMs)]).times);
  assertEquals(times.length, 7);
});

Deno.test("addHistograms: the sum has every time of its parts", () => {
  const sum = addHistograms([histogramOf(0.5, 1), "", histogramOf(1, 1.5)]);
  const expected = [{ ms: 0.5, count: 1 }, { ms: 1, count: 2 }, { ms: 1.5, count: 1 }];
  assertEquals(readLatencies([sum]).times, expected);
  assertEquals(addHistograms([histogramOf(0.5), ""]), histogramOf(0.5));
  assertEquals(addHistograms(["", ""]), "");
});
