import { assertEquals, assertThrows } from "@std/assert";
import { REPORT } from "./_made_report.ts";
import { checkAccounts } from "./check_accounts.ts";
import { readLatencies } from "./latencies.ts";
import { mergeReports } from "./merge_reports.ts";
import type { RequestRow } from "./report.ts";
import { TimeHistogram } from "./time_histogram.ts";

function histogram(...timesMs: readonly number[]): string {
  const made = new TimeHistogram(1000);
  for (const timeMs of timesMs) made.record(timeMs);
  return made.encode();
}

function row(shard: number, startMs: number, endMs: number | null = null): RequestRow {
  const rest = {
    thread: 0,
    connection: 0,
    fresh: true,
    status: null,
    phase: null,
    failure: null,
    side: null,
  };
  return { shard, startMs, intendedMs: startMs, endMs, ...rest };
}

Deno.test("mergeReports: numbers, histograms and failures are added, rows are put in order", () => {
  const reset = { phase: "wait", kind: "reset", side: "server", count: 1 } as const;
  const [second] = REPORT.seconds;
  const left = {
    ...REPORT,
    sent: 4,
    reused: 3,
    failures: [reset],
    seconds: [{ ...second!, sent: 4, failed: 1, service: histogram(1, 2) }],
    rows: [row(0, 5), row(0, 9)],
  };
  const right = {
    ...REPORT,
    sent: 6,
    reused: 5,
    failures: [{ ...reset, count: 2 }, { ...reset, phase: "send" as const }],
    startMs: 900,
    elapsedMs: 2500,
    lastEndMs: 2400,
    seconds: [
      { ...second!, sent: 6, failed: 1, service: histogram(3) },
      { ...second!, second: 1, sent: 0, failed: 2, answered: [], service: histogram(4) },
    ],
    rows: [row(1, 107)],
    generator: { ...REPORT.generator, cpuShare: 0.75, connections: 7, timerLateness: histogram(1) },
  };
  const merged = mergeReports([left, right]);
  checkAccounts(merged);
  assertEquals([merged.sent, merged.fresh, merged.reused, merged.bodyBytes], [10, 2, 8, 60]);
  assertEquals([merged.startMs, merged.elapsedMs, merged.lastEndMs], [900, 2500, 2400]);
  assertEquals(merged.failures, [{ ...reset, count: 3 }, { ...reset, phase: "send", count: 1 }]);
  assertEquals(merged.rows!.map(({ shard }) => shard), [0, 1, 0]);
  assertEquals(merged.seconds.map(({ second, sent, failed }) => [second, sent, failed]), [[0, 10, 2], [
    1,
    0,
    2,
  ]]);
  const { times } = readLatencies(merged.seconds.map(({ service }) => service));
  assertEquals(times.map(({ ms }) => Math.round(ms)), [1, 2, 3, 4]);
  assertEquals(merged.generator.cpuShare, 0.75);
  assertEquals(merged.generator.connections, 17);
  assertEquals(readLatencies([merged.generator.timerLateness]).count, 1);
});

Deno.test("mergeReports: rows of a part that began later are told on the clock of the first", () => {
  const early = { ...REPORT, startMs: 1000, rows: [row(0, 0), row(0, 400)] };
  const late = { ...REPORT, startMs: 1300, rows: [row(1, 0, 20), row(1, 200)] };
  const { startMs, rows } = mergeReports([late, early]);
  assertEquals(startMs, 1000);
  const times = rows!.map(({ shard, intendedMs, startMs, endMs }) => [shard, intendedMs, startMs, endMs]);
  assertEquals(times, [[0, 0, 0, null], [1, 300, 300, 320], [0, 400, 400, null], [1, 500, 500, null]]);
});

Deno.test("mergeReports: what one part cannot tell, the whole cannot", () => {
  const untold = {
    ...REPORT,
    fresh: null,
    reused: null,
    generator: { ...REPORT.generator, cpuShare: null, waitShare: null, connections: null },
  };
  const { fresh, reused, rows, generator } = mergeReports([REPORT, untold]);
  assertEquals([fresh, reused, rows], [null, null, null]);
  assertEquals([generator.cpuShare, generator.waitShare, generator.connections], [null, null, null]);
});

Deno.test("mergeReports: without a part there is no whole", () => {
  assertThrows(() => mergeReports([]), RangeError, "there is none");
});
