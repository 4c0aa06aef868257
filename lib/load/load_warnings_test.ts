import { assertEquals, assertMatch } from "@std/assert";
import { PLAN, REPORT } from "./_made_report.ts";
import type { ShardedReport } from "./generator.ts";
import { loadWarnings } from "./load_warnings.ts";
import type { LoadPlan } from "./plan.ts";
import type { LoadReport } from "./report.ts";
import { TimeHistogram } from "./time_histogram.ts";

const WHOLE: ShardedReport = { ...REPORT, lost: [] };
const OPEN: LoadPlan = { ...PLAN, arrivals: { loop: "open", ratePerSecond: 10, spacing: "poisson" } };

function codes(plan: LoadPlan, change: Partial<LoadReport>): string[] {
  return loadWarnings(plan, { ...WHOLE, ...change }).map(({ code }) => code);
}

function lateBy(ms: number): Partial<LoadReport> {
  const times = new TimeHistogram(1000);
  times.record(ms);
  return { generator: { ...REPORT.generator, timerLateness: times.encode() } };
}

Deno.test("loadWarnings: a load that is well made has none", () => {
  assertEquals(loadWarnings(PLAN, WHOLE), []);
  assertEquals(loadWarnings(OPEN, { ...WHOLE, sent: 10_000, unfinished: 1 }), []);
});

Deno.test("loadWarnings: each limit of the generator is told with a remedy", () => {
  const { generator } = REPORT;
  const shortage = { phase: "connect", side: "client", count: 2 } as const;
  const cases: readonly (readonly [string, LoadPlan, Partial<LoadReport>])[] = [
    ["generator-at-limit", PLAN, { generator: { ...generator, cpuShare: 0.97 } }],
    ["processor-shared", PLAN, { generator: { ...generator, waitShare: 0.2 } }],
    ["timer-late", OPEN, lateBy(1.5)],
    ["fewer-connections", PLAN, { generator: { ...generator, connections: 9 } }],
    ["local-ports-exhausted", PLAN, { failures: [{ ...shortage, kind: "local-ports-exhausted" }] }],
    ["descriptors-exhausted", PLAN, { failures: [{ ...shortage, kind: "descriptors-exhausted" }] }],
    ["tail-cut", OPEN, { sent: 1000, unsent: 5 }],
  ];
  for (const [code, plan, change] of cases) {
    const warnings = loadWarnings(plan, { ...WHOLE, ...change });
    assertEquals(warnings.map((warning) => warning.code), [code]);
    assertMatch(warnings[0]!.remedy, /^[A-Z].+[^.]$/);
  }
});

Deno.test("loadWarnings: what is by design is no warning", () => {
  const { generator } = REPORT;
  assertEquals(codes(OPEN, { generator: { ...generator, connections: 1 } }), []);
  assertEquals(codes({ ...PLAN, requests: 3 }, { generator: { ...generator, connections: 3 } }), []);
  assertEquals(codes(PLAN, { generator: { ...generator, connections: null } }), []);
  assertEquals(codes(PLAN, { unfinished: 10 }), []);
  // Connections of lost shards are told of as such.
  const lost = { ...WHOLE, generator: { ...generator, connections: 5 }, lost: [{ index: 1, reason: "" }] };
  assertEquals(loadWarnings(PLAN, lost), []);
  assertEquals(codes(OPEN, lateBy(0.9)), []);
  assertEquals(codes(PLAN, { generator: { ...generator, cpuShare: null, waitShare: null } }), []);
});
