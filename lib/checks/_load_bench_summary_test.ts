import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { benchRows, type BenchTables, summarize, warningsOf } from "./_load_bench_summary.ts";
import { meets } from "./bench_row.ts";

function rate(server: string, client: string, round: number, requestsPerSecond: number, serverBusy = 0.8) {
  return { server, client, round, requestsPerSecond, waitShare: 0.01, clientBusy: 1, serverBusy };
}

const crowd = (
  client: string,
  round: number,
  connections: number,
  openMs: number,
  residentBytes: number | null,
) => ({ client, round, connections, openMs, residentBytes }) as const;

const late = (round: number, latenessP99Ms: number) =>
  ({
    round,
    requestsPerSecond: 20_000,
    waitShare: 0,
    latenessP50Ms: 0.01,
    latenessP99Ms,
    latenessMaxMs: 3,
  }) as const;

const TABLES: BenchTables = {
  rates: [
    // The second round met other work: by medians of each client, epoll would be at 1.25 of wrk.
    ...[[100_000, 130_000, 145_000], [50_000, 65_000, 72_000], [80_000, 104_000, 115_000]].flatMap(
      ([wrk, epoll, inC], round) => [
        rate("C", "wrk", round, wrk!),
        rate("C", "epoll", round, epoll!),
        rate("C", "C loop", round, inC!),
      ],
    ),
    rate("nginx", "wrk", 0, 100_000, 0.9),
    rate("nginx", "epoll", 0, 104_000, 0.99),
  ],
  lateness: [late(0, 0.2), late(1, 0.4)],
  crowds: [
    crowd("epoll", 0, 1000, 60, 80_000_000),
    crowd("epoll", 0, 15_000, 1100, 87_000_000),
    crowd("C loop", 0, 15_000, 1000, null),
    crowd("epoll", 1, 15_000, 2400, 90_500_000),
    crowd("C loop", 1, 15_000, 2000, null),
  ],
  tools: [{ tool: "wrk", isHere: true }, { tool: "hey", isHere: false }],
};

Deno.test("summarize() takes ratios within a round, and states what is not here", () => {
  const summary = summarize(TABLES);
  const value = (name: string, variant: string | null = null) =>
    summary.find((one) => one.name === name && one.variant === variant)?.value;
  assertAlmostEquals(value("ratio", "epoll / wrk, C")!, 1.3);
  assertEquals(value("requestsPerSecond", "epoll, C"), 104_000);
  assertAlmostEquals(value("latenessP99Ms")!, 0.3);
  assertEquals(value("bytesPerConnection"), 625);
  assertAlmostEquals(value("ratio", "opening, epoll / C loop")!, 1.15);
  assertEquals(summary.find(({ variant }) => variant === "hey")?.reason, "not here");
  assertEquals(value("ratio", "raw / wrk, C"), null);
});

Deno.test("benchRows() has a row for what was measured, and tells of a server that is at its limit", () => {
  const rows = benchRows(summarize(TABLES));
  assertEquals(rows.map(({ name }) => name), [
    "epoll over wrk, against C",
    "epoll over C loop, against C",
    "epoll over wrk, against nginx",
    "open loop, lateness of 99 in 100, over 1 ms",
    "memory of an idle connection, over 1 KiB",
    "opening idle connections, over the loop in C",
  ]);
  assertEquals(rows.map(meets), [true, true, false, true, true, true]);
  assert(rows[2]!.note!.endsWith("the processor of nginx is full"), rows[2]!.note!);
  assert(!rows[0]!.note!.includes("full"));
});

Deno.test("warningsOf() tells of a machine that had other work", () => {
  assertEquals(warningsOf(TABLES), []);
  const disturbed = { ...TABLES, lateness: [{ ...late(0, 9), waitShare: 0.3 }] };
  assertEquals(warningsOf(disturbed).map(({ code }) => code), ["processor-shared"]);
});

Deno.test("without any tool there is nothing to hold the engines against", () => {
  const alone: BenchTables = {
    rates: [rate("nginx", "epoll", 0, 100_000)],
    lateness: [],
    crowds: [],
    tools: [{ tool: "wrk", isHere: false }],
  };
  assertEquals(benchRows(summarize(alone)), []);
});
