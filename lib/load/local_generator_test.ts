import { assert, assertEquals, assertRejects } from "@std/assert";
import { answering, respond, type ScriptedServer, serveScript } from "../testing/mod.ts";
import { PLAN } from "./_made_report.ts";
import type { LoadOptions } from "./generator.ts";
import { loadShard } from "./load_shard.ts";
import { localGenerator } from "./local_generator.ts";
import { mergeReports } from "./merge_reports.ts";
import { readLatencies } from "./latencies.ts";
import type { LoadPlan, LoadTarget } from "./plan.ts";
import type { LoadReport, SecondReport } from "./report.ts";

/** Longer than any load here takes: what ends it is something else. */
const LONG_MS = 60_000;
const NEVER = new AbortController().signal;

function targetOf({ hostname, port }: ScriptedServer): LoadTarget {
  return { address: hostname, hostname, port, path: "/" };
}

async function load(
  servers: readonly ScriptedServer[],
  plan: Partial<LoadPlan>,
  options: LoadOptions = { signal: NEVER },
): Promise<LoadReport> {
  await using generator = localGenerator();
  return await generator.load({ ...PLAN, durationMs: LONG_MS, ...plan }, servers.map(targetOf), options);
}

for (const client of ["epoll", "raw"] as const) {
  Deno.test(`${client}: a request that takes too long fails, and its connection with it`, async () => {
    await using server = serveScript(async (peer) => {
      await peer.request();
      if (peer.ordinal % 2 === 0) await peer.say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
      await peer.gone();
    });
    const report = await load([server], { client, connections: 1, requests: 4, timeoutMs: 100 });
    const counts = report.failures.map(({ phase, kind, count }) => [phase, kind, count]);
    assertEquals(counts, [["wait", "timed-out", 2], ["receive", "timed-out", 2]]);
    assertEquals([report.sent, report.fresh, server.accepted], [4, 4, 4]);
  });

  Deno.test(`${client}: a stop ends the load, of which there is a report`, async () => {
    await using server = serveScript(answering(respond("hello")));
    const stop = new AbortController();
    const report = await load([server], { client, connections: 2, threads: 2, keepRows: true }, {
      signal: stop.signal,
      onProgress: (_, sent) => sent > 0 && stop.abort(),
    });
    assert(report.sent > 0 && report.elapsedMs < LONG_MS);
    assertEquals(report.rows!.length, report.sent);
  });
}

const OPEN = { loop: "open", ratePerSecond: 200, spacing: "poisson" } as const;

for (
  const [client, arrivals] of [["epoll", PLAN.arrivals], ["epoll", OPEN], ["raw", OPEN], [
    "fetch",
    OPEN,
  ]] as const
) {
  Deno.test(`${client}, ${arrivals.loop} loop: a second is told once it is over, while the load goes on, as the report has it`, async () => {
    await using server = serveScript(answering(respond("hello")));
    const stop = new AbortController();
    const told: SecondReport[] = [];
    const { seconds, sent } = await load([server], { client, connections: 2, threads: 2, arrivals }, {
      signal: stop.signal,
      onSecond(second) {
        told.push(second);
        stop.abort();
      },
    });
    assert(told.length > 0 && told.length < seconds.length);
    assert(told[0]!.sent > 0 && told[0]!.sent < sent);
    const readable = ({ service, response, ...numbers }: SecondReport) => ({
      ...numbers,
      times: [service, response].map((text) => readLatencies([text]).times),
    });
    assertEquals(told.map(readable), seconds.slice(0, told.length).map(readable));
  });
}

Deno.test("of a load that is hardly there no share of a processor is told", async () => {
  await using server = serveScript(answering(respond("hello")));
  const { sent, generator } = await load([server], { connections: 1, requests: 1 });
  assertEquals([sent, generator.cpuShare, generator.waitShare], [1, null, null]);
});

Deno.test("a load that is stopped beforehand sends nothing", async () => {
  await using server = serveScript(answering(respond("hello")));
  const report = await load([server], {}, { signal: AbortSignal.abort() });
  assertEquals([report.sent, server.accepted], [0, 0]);
});

Deno.test("the connections of all threads and shards go to the targets in turn", async () => {
  await using left = serveScript(answering(respond("")));
  await using right = serveScript(answering(respond("")));
  // Each of four threads has one connection, and opens it for its first request.
  const plan = { ...PLAN, durationMs: LONG_MS, connections: 4, threads: 2, requests: 40, keepRows: true };
  const targets = [left, right].map(targetOf);
  const parts = await Promise.all(
    [0, 1].map((index) => loadShard(plan, { index, count: 2, startMs: 0, targets }, { signal: NEVER })),
  );
  const report = mergeReports(parts);
  assertEquals([report.sent, report.fresh, report.generator.connections], [40, 4, 4]);
  assertEquals([left.accepted, right.accepted], [2, 2]);
  assertEquals([left.heads.length, right.heads.length], [20, 20]);
  const threads = new Set(report.rows!.map(({ shard, thread }) => `${shard}.${thread}`));
  assertEquals([...threads].sort(), ["0.0", "0.1", "1.0", "1.1"]);
});

Deno.test("shards that start at a time do not begin before it", async () => {
  await using server = serveScript(answering(respond("")));
  const startMs = Date.now() + 500;
  const shard = { index: 0, count: 1, startMs, targets: [targetOf(server)] };
  const report = await loadShard({ ...PLAN, requests: 10, keepRows: true }, shard, { signal: NEVER });
  assert(report.startMs >= startMs && report.rows!.every((row) => row.startMs >= 0));
});

Deno.test("what a thread cannot do is thrown", async () => {
  await using server = serveScript(answering(respond("")));
  const targets = [{ ...targetOf(server), path: "no path" }];
  await using generator = localGenerator();
  await assertRejects(() => generator.load(PLAN, targets, { signal: NEVER }), Error, "Cannot send request");
});
