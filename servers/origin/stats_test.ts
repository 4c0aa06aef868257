import { assertEquals } from "@std/assert";
import { madeFacts, madeReport } from "./_made_stats.ts";
import { statsOf } from "./stats.ts";

const rssBytes = 1_000_000;

Deno.test("statsOf adds up what several threads have counted, and tells each apart", () => {
  const facts = madeFacts("node");
  const reports = [madeReport(facts), madeReport(facts, { eventLoopDelayMs: 7 })];
  const stats = statsOf(reports, { facts, port: null, rssBytes })!;
  assertEquals([stats.requests, stats.accepted, stats.active, stats.refused], [2, 2, 2, 0]);
  assertEquals([stats.eventLoopDelayMs, stats.memory], [7, { rssBytes, heapUsedBytes: 2000 }]);
  assertEquals(stats.workers.map(({ accepted, eventLoopDelayMs }) => [accepted, eventLoopDelayMs]), [[1, 1], [
    1,
    7,
  ]]);
  assertEquals(stats.brakes, { ...facts.brakes, checkingIntervalMs: 300, backlog: 16, descriptors: null });
  assertEquals(stats.defaults, facts.defaults);
  assertEquals(stats.reasons, { handshakes: "Its connections are plain" });
});

Deno.test("statsOf tells one port apart, and knows no other", () => {
  const facts = madeFacts("node");
  const at = (port: number) => statsOf([madeReport(facts), madeReport(facts)], { facts, port, rssBytes });
  assertEquals([at(8080)?.requests, at(8081)?.requests, at(8082)], [2, 0, null]);
  assertEquals(at(8081)?.workers.map(({ requests }) => requests), [0, 0]);
});

Deno.test("statsOf gives a reason for everything that it does not tell", () => {
  const facts = madeFacts("deno");
  const stats = statsOf([madeReport(facts)], { facts, port: null, rssBytes: 0 })!;
  assertEquals(
    [stats.accepted, stats.active, stats.refused, stats.handshakes, stats.memory.rssBytes, stats.defaults],
    [null, null, null, null, null, null],
  );
  assertEquals(
    Object.keys(stats.reasons),
    ["accepted", "active", "refused", "handshakes", "memory.rssBytes", "defaults"],
  );
});
