import { assertEquals, assertThrows } from "@std/assert";
import { PLAN } from "./_made_report.ts";
import { checkAccounts } from "./check_accounts.ts";
import { readLatencies } from "./latencies.ts";
import { Tally } from "./tally.ts";

/** Times as a histogram has them, to the whole millisecond. */
function timesMs(...encoded: readonly string[]): number[] {
  return readLatencies(encoded).times.flatMap(({ ms, count }) => Array(count).fill(Math.round(ms)));
}

const END = { endMs: 2000, unsent: 0, startMs: 1000, cpuShare: null, waitShare: null };
const OWNER = { slots: 3, shard: 1, thread: 2 };
const OPEN = { ...PLAN, arrivals: { loop: "open", ratePerSecond: 10, spacing: "constant" } } as const;

Deno.test("Tally: every request is in the second in which it began, and its end in that in which it ended", () => {
  const tally = new Tally(PLAN, OWNER);
  tally.begin(0, 10, 10, true);
  tally.begin(1, 20, 20, true);
  tally.begin(2, 30, 30, true);
  tally.answer(0, 200, 5, 40);
  tally.begin(0, 40, 40, false);
  tally.answer(1, 404, 7, 1040);
  tally.fail(2, "wait", "reset", 1050);
  // The loop may hear of the end a moment late.
  tally.begin(1, 1999, 2001, false);
  assertEquals([tally.sent, tally.underWay], [5, 2]);
  const report = tally.report(END);
  checkAccounts(report);
  assertEquals(report.sent, 5);
  assertEquals([report.answered[2], report.answered[4]], [1, 1]);
  assertEquals(report.failures, [{ phase: "wait", kind: "reset", side: "server", count: 1 }]);
  assertEquals([report.unfinished, report.fresh, report.reused, report.bodyBytes], [2, 3, 2, 12]);
  assertEquals([report.elapsedMs, report.lastEndMs], [2000, 1050]);
  assertEquals(report.seconds.map(({ sent, failed, bodyBytes }) => [sent, failed, bodyBytes]), [[4, 0, 5], [
    1,
    1,
    7,
  ]]);
  assertEquals(timesMs(report.seconds[1]!.service), [1020]);
});

Deno.test("Tally: what a late start hides from service times is in response times", () => {
  const tally = new Tally(OPEN, OWNER);
  tally.begin(0, 100, 100, true);
  tally.answer(0, 200, 0, 1100);
  tally.begin(0, 200, 1100, false);
  tally.answer(0, 200, 0, 1110);
  tally.begin(1, 1200, 1203, true);
  tally.answer(1, 200, 0, 1213);
  const { seconds: [, second], generator } = tally.report(END);
  assertEquals(timesMs(second!.service), [10, 10, 1000]);
  assertEquals(timesMs(second!.response), [13, 910, 1000]);
  assertEquals(timesMs(generator.lateness), [0, 3, 900]);
  // No connection was free before: the timer was late by 3 ms alone.
  assertEquals(timesMs(generator.timerLateness), [0, 0, 3]);
});

Deno.test("Tally: rows tell of each request, also of one that is on its way", () => {
  const tally = new Tally({ ...PLAN, keepRows: true }, OWNER);
  tally.begin(0, 1, 1, true);
  tally.begin(1, 2, 2, true);
  tally.answer(1, 204, 0, 3);
  tally.begin(1, 3, 3, false);
  tally.fail(1, "receive", "closed-early", 4);
  const { rows } = tally.report(END);
  const whose = { shard: 1, thread: 2, status: null, phase: null, failure: null, side: null };
  const closedEarly = { phase: "receive", failure: "closed-early", side: "server" } as const;
  assertEquals(rows, [
    { ...whose, connection: 0, fresh: true, intendedMs: 1, startMs: 1, endMs: null },
    { ...whose, connection: 1, fresh: true, intendedMs: 2, startMs: 2, endMs: 3, status: 204 },
    { ...whose, connection: 1, fresh: false, intendedMs: 3, startMs: 3, endMs: 4, ...closedEarly },
  ]);
});

Deno.test("Tally: more rows than it had room for keep what they hold", () => {
  const tally = new Tally({ ...PLAN, keepRows: true }, OWNER);
  const count = 70_000;
  for (let at = 0; at < count; at++) {
    tally.begin(0, at / 100, at / 100, at === 0);
    tally.answer(0, 200, 1, at / 100);
  }
  const { rows } = tally.report(END);
  assertEquals(rows!.length, count);
  assertEquals([rows![0]!.fresh, rows![1]!.fresh, rows![count - 1]!.startMs], [
    true,
    false,
    (count - 1) / 100,
  ]);
});

Deno.test("Tally: a client that does not tell its connections leaves them out", () => {
  const tally = new Tally({ ...PLAN, keepRows: true }, OWNER);
  tally.begin(0, 1, 1, null);
  const { fresh, reused, rows, generator } = tally.report(END);
  assertEquals([fresh, reused, rows![0]!.fresh, generator.connections], [null, null, null, null]);
});

Deno.test("Tally: a slot that is used twice, or ended without a request, is a defect", () => {
  const tally = new Tally(PLAN, OWNER);
  assertThrows(() => tally.answer(0, 200, 0, 1), Error, "no request");
  assertThrows(() => tally.fail(0, "wait", "reset", 1), Error, "no request");
  tally.begin(0, 1, 1, true);
  assertThrows(() => tally.begin(0, 2, 2, false), Error, "on its way");
});

Deno.test("Tally: the most connections at once are told", () => {
  const tally = new Tally(PLAN, OWNER);
  tally.opened();
  tally.opened();
  tally.closed();
  tally.opened();
  assertEquals(tally.report(END).generator.connections, 2);
});

Deno.test("Tally: a load that was cut short has the seconds that it lasted", () => {
  const tally = new Tally({ ...PLAN, durationMs: 60_000 }, OWNER);
  assertEquals(tally.report({ ...END, endMs: 1500 }).seconds.length, 2);
});
