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
import { childrenOf, isAlive, sendSignal } from "../system/mod.ts";
import type { RunRequest, SupervisorEvent } from "./protocol.ts";
import { type EndedRun, previewRun, startRun } from "./start.ts";

const NAPPING = import.meta.resolve("./fixtures/napping.ts");
const MANY = 1_000_000;

function request(
  dataDirectory: string,
  params: Record<string, unknown> = {},
  more: Partial<RunRequest> = {},
): RunRequest {
  return {
    experiment: NAPPING,
    params,
    quick: false,
    seed: 1,
    label: null,
    dataDirectory,
    dryRun: false,
    ...more,
  };
}

/** A folder that is removed at the end of its block. */
class TemporaryFolder implements Disposable {
  readonly path = Deno.makeTempDirSync();
  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** The process ids below this process, the nearest first. */
function family(pid = Deno.pid): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap((child) => family(child))];
}

/** Waits until none of the processes lives; bounded. */
async function assertGone(pids: readonly number[]): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (pids.some(isAlive) && Date.now() < deadline) await new Promise((wake) => setTimeout(wake, 20));
  assertEquals(pids.filter(isAlive), []);
}

/** Runs the fixture and does something to it when its first naps have been reported. */
async function disturb(
  data: string,
  params: Record<string, unknown>,
  act: (pids: readonly number[], abort: AbortController) => void,
): Promise<EndedRun> {
  const abort = new AbortController();
  let pids: readonly number[] = [];
  const ended = await startRun(request(data, { naps: MANY, ...params }), {
    signal: abort.signal,
    onStderr: () => {},
    onEvent(event) {
      if (event.type !== "progress" || pids.length > 0) return;
      pids = family();
      act(pids, abort);
    },
  });
  assertGreaterOrEqual(pids.length, 2);
  await assertGone(pids);
  return ended;
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

Deno.test("an interrupted run keeps its rows and leaves no process", async () => {
  using data = new TemporaryFolder();
  const ended = await disturb(data.path, {}, (_, abort) => abort.abort());
  await assertKept(ended, "incomplete", /^Interrupted$/);
  assertEquals((await verifyRun(ended.path)).verdict, "unverifiable");
});

for (const manner of ["deaf", "busy"]) {
  Deno.test(`an interrupted run ends also when its experiment is ${manner}`, async () => {
    using data = new TemporaryFolder();
    await assertKept(
      await disturb(data.path, { manner }, (_, abort) => abort.abort()),
      "incomplete",
      /^Interrupted$/,
    );
  });
}

Deno.test("a run whose measuring process is killed has failed and keeps its rows", async () => {
  using data = new TemporaryFolder();
  const ended = await disturb(data.path, {}, (pids) => void sendSignal(pids.at(-1)!, "SIGKILL"));
  await assertKept(ended, "failed", /^The measuring process was ended by SIGKILL$/);
});

Deno.test("a run whose supervisor is killed is incomplete, and everything below it ends", async () => {
  using data = new TemporaryFolder();
  const ended = await disturb(data.path, { serve: true }, (pids) => void sendSignal(pids[0]!, "SIGKILL"));
  await assertKept(ended, "incomplete", /./);
  assertMatch(ended.reason ?? "", /supervisor was ended by SIGKILL/);
});

Deno.test("a run whose server is killed has failed, names the server and keeps its rows", async () => {
  using data = new TemporaryFolder();
  // The supervisor is the nearest; the server was started before the measuring process.
  const ended = await disturb(data.path, { serve: true }, (pids) => void sendSignal(pids[1]!, "SIGKILL"));
  await assertKept(ended, "failed", /^Server origin was ended by SIGKILL/);
});

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
  const ended = await startRun(request(data.path, { manner: "deaf", naps: MANY, budget: 500 }));
  await assertKept(ended, "failed", /longer than its budget/);
});
