import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { benchRows, type BenchTables, summarize, warningsOf } from "./_load_bench_summary.ts";
import { meets } from "./bench_row.ts";

function rate(server: string, client: string, round: number, requestsPerSecond: number) {
  return { server, client, round, requestsPerSecond, waitShare: 0.01, clientBusy: 1, serverBusy: 0.9 };
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
    rate("nginx", "wrk", 0, 100_000),
    rate("nginx", "epoll", 0, 104_000),
    rate("nginx", "C loop", 0, 105_000),
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

Deno.test("benchRows() has a row for what was measured, but for what the server decides", () => {
  const rows = benchRows(summarize(TABLES));
  assertEquals(rows.map(({ name }) => name), [
    "epoll over wrk, against C",
    "epoll over C loop, against C",
    "epoll over C loop, against nginx",
    "open loop, lateness of 99 in 100, over 1 ms",
    "memory of an idle connection, over 1 KiB",
    "opening idle connections, over the loop in C",
  ]);
  assert(rows.every(meets));
});

Deno.test("benchRows() lets a client that is slower than a server allows miss its target", () => {
  const slow = {
    ...TABLES,
    rates: TABLES.rates.map((row) => row.client === "epoll" ? { ...row, requestsPerSecond: 1 } : row),
  };
  const missed = benchRows(summarize(slow)).filter((row) => !meets(row)).map(({ name }) => name);
  assertEquals(missed, [
    "epoll over wrk, against C",
    "epoll over C loop, against C",
    "epoll over wrk, against nginx",
    "epoll over C loop, against nginx",
  ]);
});

Deno.test("warningsOf() tells of a machine that had other work, and of a server at its limit", () => {
  const [bound, ...others] = warningsOf(TABLES);
  assertEquals(others, []);
  assertEquals(bound!.code, "bound-by-server-epoll-nginx");
  assert(bound!.message.includes("epoll has 1.04 × wrk there"), bound!.message);
  const disturbed = { ...TABLES, lateness: [{ ...late(0, 9), waitShare: 0.3 }] };
  assertEquals(warningsOf(disturbed).map(({ code }) => code), ["processor-shared", bound!.code]);
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
