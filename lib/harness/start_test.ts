import {
  assert,
  assertEquals,
  assertExists,
  assertGreaterOrEqual,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { CannotRunHereError, MisuseError } from "../record/mod.ts";
import { readRun, verifyRun } from "../store/mod.ts";
import { allGone, family, TemporaryFolder } from "../testing/mod.ts";
import { requestFor } from "./_request.ts";
import type { RunRequest, SupervisorEvent } from "./protocol.ts";
import { type EndedRun, previewRun, startRun } from "./start.ts";

const NAPPING = import.meta.resolve("./fixtures/napping.ts");
const MANY = 1_000_000;

function request(
  dataDirectory: string,
  params: Record<string, unknown> = {},
  more: Partial<RunRequest> = {},
): RunRequest {
  return requestFor(NAPPING, { dataDirectory, params, ...more });
}

/** What every run that came to a bad end has in common: its rows are kept and can be read. */
async function assertKept(ended: EndedRun, status: EndedRun["status"], reason: RegExp): Promise<void> {
  assertEquals(ended.status, status);
  assertMatch(ended.reason ?? "", reason);
  const run = await readRun(ended.path);
  assertEquals(run.status, status);
  assertEquals(run.summary, []);
  const orders = run.tables.naps!.numbers("order");
  assertGreaterOrEqual(orders.length, 1);
  assertEquals([...orders], [...orders.keys()]);
}

Deno.test("startRun() measures, stores rows and summary, and says what happens in order", async () => {
  using data = new TemporaryFolder();
  const events: SupervisorEvent[] = [];
  const ended = await startRun(request(data.path, { naps: 20 }, { label: "first" }), {
    onEvent: (event) => events.push(event),
  });
  assertEquals({ status: ended.status, reason: ended.reason }, { status: "complete", reason: null });
  const run = await readRun(ended.path);
  assertEquals(run.id, ended.id);
  assertEquals([...run.tables.naps!.numbers("order")], Array.from({ length: 20 }, (_, order) => order));
  assertEquals(run.value("naps"), 20);
  assertEquals({ label: run.label, seed: run.seed, params: run.params.naps }, {
    label: "first",
    seed: 1,
    params: 20,
  });
  assertExists(run.environment?.source);
  assertEquals((await verifyRun(ended.path)).verdict, "ok");
  const types = events.map(({ type }) => type).filter((type) => type !== "warning");
  assertEquals([types[0], types.at(-1)], ["created", "finished"]);
  assert(types.slice(1, -1).every((type) => type === "progress") && types.length > 2);
});

Deno.test("startRun() draws a seed and records it when none is given", async () => {
  using data = new TemporaryFolder();
  const runs = await Promise.all([1, 2].map(() => startRun(request(data.path, { naps: 1 }, { seed: null }))));
  const seeds = (await Promise.all(runs.map(({ path }) => readRun(path)))).map(({ seed }) => seed);
  assert(seeds[0] !== seeds[1], `${seeds}`);
  assert(runs[0]!.id !== runs[1]!.id);
});

const MISUSES: readonly [what: string, request: (data: string) => RunRequest, message: string][] = [
  ["a value out of range", (data) => request(data, { naps: 0 }), "naps as it must be >= 1"],
  ["an unknown parameter", (data) => request(data, { nap: 1 }), "did you mean naps?"],
  ["a seed that is none", (data) => request(data, {}, { seed: -1 }), "seed as it must be"],
  [
    "an unknown experiment",
    (data) => request(data, {}, { experiment: "handshake-coast" }),
    "did you mean handshake-cost?",
  ],
  [
    "a file that throws on import",
    (data) => request(data, {}, { experiment: import.meta.resolve("./fixtures/throws_on_import.ts") }),
    "Cannot load experiment file throws_on_import.ts: The ink ran out",
  ],
  [
    "a file without an experiment",
    (data) => request(data, {}, { experiment: import.meta.resolve("./fixtures/no_experiment.ts") }),
    "its default export is no experiment",
  ],
  [
    "a file that is not there",
    (data) => request(data, {}, { experiment: import.meta.resolve("./fixtures/nowhere.ts") }),
    "Cannot load experiment file nowhere.ts",
  ],
];

for (const [what, make, message] of MISUSES) {
  Deno.test(`startRun() refuses ${what} and starts nothing`, async () => {
    using data = new TemporaryFolder();
    const events: SupervisorEvent[] = [];
    const refused = startRun(make(data.path), { onEvent: (event) => events.push(event) });
    await assertRejects(() => refused, MisuseError, message);
    assertEquals(events.map(({ type }) => type), ["refused"]);
    assertEquals([...Deno.readDirSync(data.path)], []);
    assertEquals(family(), []);
  });
}

Deno.test("startRun() refuses more descriptors than a process may have, and a folder that cannot be made", async () => {
  using data = new TemporaryFolder();
  await assertRejects(
    () => startRun(request(data.path, { descriptors: MANY })),
    CannotRunHereError,
    "file descriptors",
  );
  const file = `${data.path}/file`;
  Deno.writeTextFileSync(file, "");
  await assertRejects(() => startRun(request(`${file}/data`)), CannotRunHereError, "Cannot write run to");
  assertEquals([...Deno.readDirSync(data.path)].map(({ name }) => name), ["file"]);
});

Deno.test("previewRun() says what a run would do, and starts nothing", async () => {
  using data = new TemporaryFolder();
  const plan = await previewRun(request(data.path, { serve: true }, { quick: true }));
  assertEquals({ naps: plan.params.naps, servers: plan.servers, budgetMs: plan.budgetMs }, {
    naps: 5,
    servers: ["origin"],
    budgetMs: 60_000,
  });
  assertEquals([...Deno.readDirSync(data.path)], []);
});

for (const apart of Deno.build.os === "linux" ? [false, true] : [false]) {
  const where = apart ? "in a network of its own " : "";
  Deno.test(`an interrupted run ${where}keeps its rows and leaves no process`, async () => {
    using data = new TemporaryFolder();
    const abort = new AbortController();
    let pids: readonly number[] = [];
    const ended = await startRun(request(data.path, { naps: MANY, serve: true, apart }), {
      signal: abort.signal,
      onEvent({ type }) {
        if (type !== "progress" || abort.signal.aborted) return;
        pids = family();
        abort.abort();
      },
    });
    assertEquals(pids.length, 3);
    await allGone(pids);
    await assertKept(ended, "incomplete", /^Interrupted$/);
    assertEquals((await verifyRun(ended.path)).verdict, "unverifiable");
  });
}

Deno.test("a run whose experiment throws has failed with its message and keeps its rows", async () => {
  using data = new TemporaryFolder();
  const said: string[] = [];
  const ended = await startRun(request(data.path, { manner: "throws", naps: 50 }), {
    onStderr: (line) => said.push(line),
  });
  await assertKept(ended, "failed", /^The bed broke$/);
  assertStringIncludes(said.join("\n"), "napping.ts");
});

Deno.test("a run whose experiment ends the process has failed and keeps its rows", async () => {
  using data = new TemporaryFolder();
  const ended = await startRun(request(data.path, { manner: "dies", naps: 50 }));
  await assertKept(ended, "failed", /^The measuring process ended with status 7$/);
});

Deno.test("a run is ended at its budget", async () => {
  using data = new TemporaryFolder();
  const ended = await startRun(request(data.path, { naps: MANY, budget: 500 }));
  await assertKept(ended, "failed", /longer than its budget/);
});

Deno.test("a run whose budget is longer than a timer can be is not ended at once", async () => {
  using data = new TemporaryFolder();
  const { status, reason } = await startRun(request(data.path, { budget: 2 ** 40 }));
  assertEquals([status, reason], ["complete", null]);
});

Deno.test("a timed interval begins when what came before has been shown", async () => {
  using data = new TemporaryFolder();
  const shownMs = new Map<number, number>();
  const { path } = await startRun(request(data.path, { naps: 100 }), {
    async onEvent(event) {
      if (event.type !== "progress") return;
      await new Promise((wake) => setTimeout(wake, 50));
      shownMs.set(event.done, Date.now());
    },
  });
  const starts = (await readRun(path)).tables.naps!.numbers("startedMs");
  assertGreaterOrEqual(shownMs.size, 2);
  for (const [done, shown] of shownMs) if (done < starts.length) assertGreaterOrEqual(starts[done]!, shown);
});

Deno.test("what an experiment prints is told, wherever it prints it, and breaks nothing", async () => {
  using data = new TemporaryFolder();
  const said: string[] = [];
  const ended = await startRun(
    request(data.path, {}, { experiment: import.meta.resolve("./fixtures/talkative.ts") }),
    { onStderr: (line) => said.push(line) },
  );
  assertEquals([ended.status, ended.reason], ["complete", null]);
  assertEquals((await readRun(ended.path)).tables.words!.length, 3);
  // What follows half a line is on that line, unless it is a message of the lab.
  const lines = said.join("\n").replaceAll(/half a line in [a-z]+(?=log)/gi, "$&\n").split("\n");
  // Its file is loaded by the supervisor and by the measuring process.
  for (
    const [where, count] of Object.entries({ file: 2, budgetMs: 1, measure: 3, interval: 3, summarize: 1 })
  ) {
    const ways = ["log", "info", "debug", "group", "error", "half a line"].map((way) => `${way} in ${where}`);
    for (const line of [...ways, `{ dir: "${where}" }`, JSON.stringify({ json: where })]) {
      assertEquals(lines.filter((told) => told.trim() === line).length, count, line);
    }
  }
});

Deno.test("a long interval's rows are stored whole", async () => {
  using data = new TemporaryFolder();
  const flooding = { experiment: import.meta.resolve("./fixtures/flooding.ts") };
  const { status, path } = await startRun(request(data.path, { rows: 200_000 }, flooding));
  const { drops } = (await readRun(path)).tables;
  assertEquals([status, drops!.length], ["complete", 200_000]);
  assert(drops!.numbers("order").every((order, index) => order === index));
});

for (const spell of [(name: string) => name, (name: string) => name.toUpperCase()]) {
  const [proxyNames, exception] = [["http_proxy", "https_proxy", "all_proxy"].map(spell), spell("no_proxy")];
  Deno.test(`fetch is measured without the proxy that ${proxyNames[0]} names`, async () => {
    using data = new TemporaryFolder();
    let asked = 0;
    await using proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
      asked++;
      return new Response("I am a proxy");
    });
    for (const name of proxyNames) Deno.env.set(name, `http://127.0.0.1:${proxy.addr.port}`);
    Deno.env.set(exception, "example.org");
    try {
      const params = { requests: 2, rounds: 1, client: "fetch" };
      const ended = await startRun(request(data.path, params, { experiment: "handshake-cost" }));
      const { requests } = (await readRun(ended.path)).tables;
      assertEquals([ended.status, requests!.length, asked], ["complete", 4, 0]);
    } finally {
      for (const name of [...proxyNames, exception]) Deno.env.delete(name);
    }
  });
}
