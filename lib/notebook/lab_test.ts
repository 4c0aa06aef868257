import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { column, MisuseError } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { lab } from "./lab.ts";
import type { Run } from "./run.ts";

const NAPPING = import.meta.resolve("../harness/fixtures/napping.ts");

function handshakes(data: string, label: string): Promise<Run> {
  return lab.run("handshake-cost", { requests: 2, rounds: 1, client: "raw" }, { data, label, seed: 1 });
}

Deno.test("lab.run() gives a run with rows, values and figures, and lab.load() the same again", async () => {
  using data = new TemporaryFolder();
  const run = await handshakes(data.path, "short");
  assertEquals(run.rows("requests").map(({ variant }) => variant).sort(), [
    ...["raw/new", "raw/new", "raw/shared", "raw/shared"],
  ]);
  assertEquals(run.value("connections", "raw/new"), 2);
  assertEquals(run.figures, ["elapsed", "phases", "latency", "timeWait"]);
  const loaded = await lab.load(run.id, { data: data.path });
  assertEquals(loaded.rows("requests"), run.rows("requests"));
  for (const name of run.figures) assertEquals(loaded.figure(name), run.figure(name));
  const { meta } = run.figure("elapsed").layout as { meta: { run: string; hash: string } };
  assertEquals(meta.run, run.id);
  assertMatch(meta.hash, /^sha256:[0-9a-f]{64}$/);
  assertEquals(await lab.runs(undefined, { data: data.path }), [
    {
      id: run.id,
      started: (await lab.runs("handshake-cost", { data: data.path }))[0]!.started,
      status: "complete",
      label: "short",
    },
  ]);
});

Deno.test("a name that a run does not have is an error that says what it has", async () => {
  using data = new TemporaryFolder();
  const run = await handshakes(data.path, "");
  assertThrows(() => run.rows("request"), RangeError, "did you mean requests?");
  assertThrows(() => run.figure("latncy"), RangeError, "did you mean latency?");
  assertThrows(() => run.figure("pie"), RangeError, "it has elapsed, phases, latency, timeWait");
  assertThrows(() => run.value("connection", "raw/new"), RangeError, "connections of raw/new");
});

Deno.test("a figure is plain data that can be saved as a picture", async () => {
  using data = new TemporaryFolder();
  const figure = (await handshakes(data.path, "")).figure("elapsed");
  assertEquals(Object.keys(figure), ["data", "layout"]);
  await figure.save(`${data.path}/x.svg`);
  assertMatch(await Deno.readTextFile(`${data.path}/x.svg`), /^<svg/);
  await figure.save(`${data.path}/x.png`);
  assertEquals([...(await Deno.readFile(`${data.path}/x.png`)).subarray(1, 4)], [80, 78, 71]);
  await assertRejects(() => figure.save(`${data.path}/x.pdf`), TypeError, "must end in .svg or .png");
});

Deno.test("lab.overlay() lays the same figure of several runs over one another, named by their labels", async () => {
  using data = new TemporaryFolder();
  const runs = [await handshakes(data.path, "before"), await handshakes(data.path, "after")];
  const names = lab.overlay(runs, "elapsed").data.map(({ name }) => name);
  assertEquals(names, ["before: raw/new", "before: raw/shared", "after: raw/new", "after: raw/shared"]);
  const groups = lab.overlay(runs, "phases").data[0]!.y;
  assertEquals(groups, ["before: raw/new", "before: raw/shared"]);
  assertThrows(() => lab.overlay([runs[0]!], "elapsed"), RangeError, "must be 2 to 5");
});

Deno.test("lab.run() refuses misuse and starts nothing", async () => {
  using data = new TemporaryFolder();
  const refused = (params: Record<string, unknown>) => lab.run("handshake-cost", params, { data: data.path });
  await assertRejects(() => refused({ requests: "2,5" }), MisuseError, "with a point for decimals (2.5)");
  await assertRejects(() => refused({ request: 5 }), MisuseError, "did you mean requests?");
  assertEquals([...Deno.readDirSync(data.path)], []);
});

Deno.test("a run that failed is an error that says how to load what there is", async () => {
  using data = new TemporaryFolder();
  const failed = lab.run(NAPPING, { manner: "throws" }, { data: data.path });
  await assertRejects(() => failed, Error, "The bed broke. What was measured is kept: lab.load(");
  const run = await lab.load("latest", { data: data.path, experiment: NAPPING });
  assertEquals({ status: run.status, rows: run.rows("naps").length }, { status: "failed", rows: 10 });
});

Deno.test("lab.probe() is a run of idle-limit, and says in words what it found", async () => {
  using data = new TemporaryFolder();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("mine", { headers: { connection: "close" } }),
  );
  const target = `http://127.0.0.1:${server.addr.port}/`;
  const said: string[] = [];
  const { log } = console;
  console.log = (text: string) => void said.push(text);
  let run: Run;
  try {
    run = await lab.probe(target, { data: data.path, budget: "20s", connections: 4, label: "mine" });
  } finally {
    console.log = log;
  }
  assertEquals([run.experiment.id, run.label, run.params.budget], ["idle-limit", "mine", "20000ms"]);
  assertEquals([run.value("idleLimitMs"), run.value("safeClientIdleMs")], [0, 0]);
  assertMatch(said.at(-1)!, new RegExp(`^Idle limit of ${target}\\n(.*\\n)*.*${run.id}$`));
  await assertRejects(
    () => lab.probe("http://example.test/", { data: data.path }),
    MisuseError,
    "allowRemote in a cell",
  );
  for (const none of [undefined, null]) {
    await assertRejects(
      () => lab.probe(none as unknown as string, { data: data.path }),
      MisuseError,
      "Cannot probe without a target",
    );
  }
  assertEquals([...Deno.readDirSync(data.path)].map(({ name }) => name), ["idle-limit"]);
});

Deno.test("lab.load() does not load a run whose rows were changed, and says which file", async () => {
  using data = new TemporaryFolder();
  const run = await lab.run(NAPPING, { naps: 3 }, { data: data.path });
  const file = `${data.path}/${run.id}/naps.csv`;
  await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace("2,", "7,"));
  await assertRejects(() => lab.load(run.id, { data: data.path }), Error, "naps.csv");
});

Deno.test("an experiment's file counts as it is now, without a new process", async () => {
  using folder = new TemporaryFolder();
  const file = `${folder.path}/mine.ts`;
  const source = await Deno.readTextFile(new URL(NAPPING));
  const draw = (title: string) =>
    source.replace("figures: {}", `figures: { nap: () => ({ data: [], layout: { title: "${title}" } }) }`);
  const titles: unknown[] = [];
  for (const title of ["one", "two"]) {
    await Deno.writeTextFile(file, draw(title));
    titles.push((await lab.run(file, { naps: 1 }, { data: folder.path })).figure("nap").layout.title);
  }
  assertEquals(titles, ["one", "two"]);
});

Deno.test("lab.measure() saves rows that were measured here as a run that says so", async () => {
  using data = new TemporaryFolder();
  const columns = { order: column.count("place"), waitMs: column.ms("wait") };
  const run = await lab.measure({ columns, name: "sleep", data: data.path }, async (emit) => {
    for (let order = 0; order < 3; order++) {
      const start = performance.now();
      await new Promise((wake) => setTimeout(wake, 1));
      emit({ order, waitMs: performance.now() - start });
    }
  });
  assertEquals(run.rows("rows").map(({ order }) => order), [0, 1, 2]);
  assertEquals({ warnings: run.warnings.map(({ code }) => code), status: run.status }, {
    warnings: ["measured-in-the-kernel"],
    status: "complete",
  });
  assert(run.environment !== null);
  await assertRejects(
    () => lab.measure({ columns, name: "A B", data: data.path }, () => {}),
    MisuseError,
    "kebab case",
  );
  const failing = lab.measure({ columns, data: data.path }, (emit) => {
    emit({ order: 0, waitMs: 1 });
    throw new Error("Out of sheep");
  });
  await assertRejects(() => failing, Error, "Out of sheep");
  const kept = await lab.load("quick-look/latest", { data: data.path });
  assertEquals({ status: kept.status, rows: kept.rows("rows").length }, { status: "failed", rows: 1 });
});
