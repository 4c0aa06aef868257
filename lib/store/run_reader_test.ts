import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "node:path";
import type { Metric } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import {
  addFile,
  completeRun,
  editManifest,
  ENVIRONMENT,
  makeLink,
  requestLines,
  START,
} from "./_testing.ts";
import { UnreadableRunError } from "./errors.ts";
import { readRun } from "./run_reader.ts";
import { createRun } from "./run_writer.ts";

const METRIC: Metric = {
  name: "connections",
  variant: "raw/new",
  value: 500,
  unit: "1",
  low: null,
  high: null,
  reason: null,
};

Deno.test("readRun() gives back what was written", async () => {
  using data = new TemporaryFolder();
  const writer = completeRun(data.path);
  const run = await readRun(writer.path);
  assertEquals([run.id, run.path, run.status], [writer.id, writer.path, "complete"]);
  assertEquals([run.params, run.seed, run.environment], [START.params, START.seed, ENVIRONMENT]);
  assertEquals(run.experiment, START.experiment);
  assertEquals([...run.tables.requests!.numbers("connectMs")], [0.25, 0.25, 0.25]);
  assertEquals(run.tables.sockets!.texts("state"), ["TIME_WAIT"]);
  assertEquals(run.tables.requests!.schema, START.tables.requests);
});

Deno.test("value() finds a metric, and names those that there are", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const bare = await readRun(path);
  assertThrows(() => bare.value("connections"), RangeError, "it has no metrics");
  const ratio = {
    ...METRIC,
    name: "elapsedRatio",
    variant: null,
    value: null,
    reason: "One arm was left out",
  };
  const run = bare.with({ summary: [METRIC, ratio], status: "failed" });
  assertEquals(run.value("connections", "raw/new"), 500);
  assertEquals(run.value("elapsedRatio"), null);
  assertEquals([run.status, bare.status], ["failed", "complete"]);
  assertThrows(
    () => run.value("connections"),
    RangeError,
    "Cannot read metric connections of run " + run.id + ": there are connections of raw/new, elapsedRatio",
  );
});

Deno.test("a last row that was cut off is left out, with a warning, wherever it was cut", async () => {
  using data = new TemporaryFolder();
  const writer = createRun(data.path, START);
  writer.append("requests", requestLines(2), 2);
  writer.append("requests", '"a, Größe\nb",2,0.25,false\n', 1);
  writer[Symbol.dispose]();
  const file = join(writer.path, "requests.csv");
  const whole = await Deno.readFile(file);
  const start = whole.length - new TextEncoder().encode('"a, Größe\nb",2,0.25,false\n').length;
  for (let end = start + 1; end < whole.length; end++) {
    await Deno.writeFile(file, whole.subarray(0, end));
    const run = await readRun(writer.path);
    assertEquals(run.tables.requests!.length, 2, `cut at ${end}`);
    assertEquals(run.warnings.map(({ code }) => code), ["torn-row"], `cut at ${end}`);
  }
  assertEquals((await readRun(writer.path)).warnings[0]!.message.includes("requests.csv"), true);
  await Deno.writeFile(file, whole);
  const run = await readRun(writer.path);
  assertEquals([run.tables.requests!.length, run.warnings], [3, []]);
  assertEquals(run.with({}).warnings, []);
});

Deno.test("a header that was cut off and a file that was never made are empty tables", async () => {
  using data = new TemporaryFolder();
  const writer = createRun(data.path, START);
  writer[Symbol.dispose]();
  await Deno.writeTextFile(join(writer.path, "requests.csv"), "vari");
  await Deno.remove(join(writer.path, "sockets.csv"));
  const run = await readRun(writer.path);
  assertEquals([run.tables.requests!.length, run.tables.sockets!.length], [0, 0]);
  assertEquals(run.environment, null);
});

Deno.test("a complete run that lacks a file, or a row, is refused", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const file = join(path, "requests.csv");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.slice(0, -8));
  await assertRejects(
    () => readRun(path),
    UnreadableRunError,
    `Cannot read run ${path}: requests.csv at line 4: a row must have 4 cells: found 3`,
  );
  await Deno.writeTextFile(file, text.slice(0, -1));
  await assertRejects(
    () => readRun(path),
    UnreadableRunError,
    "requests.csv at line 4: the last row is cut off: no line feed ends it",
  );
  await Deno.writeTextFile(file, text.split("\n").slice(0, 3).join("\n") + "\n");
  await assertRejects(() => readRun(path), UnreadableRunError, "requests.csv must have 3 rows, and has 2");
  await Deno.writeFile(file, new Uint8Array([...new TextEncoder().encode(text), 0xff, 10]));
  await assertRejects(() => readRun(path), UnreadableRunError, "is not UTF-8");
  await Deno.writeTextFile(file, "");
  await assertRejects(
    () => readRun(path),
    UnreadableRunError,
    "requests.csv at line 1: the header is missing",
  );
  await Deno.remove(file);
  await assertRejects(() => readRun(path), UnreadableRunError, "requests.csv is missing");
});

Deno.test("a path that leads out of the folder of a run is not followed", async () => {
  using data = new TemporaryFolder();
  const secret = join(data.path, "secret.csv");
  await Deno.writeTextFile(secret, "state\nsecret\n");
  const escapes = [
    "../../secret.csv",
    secret,
    "a/../../../secret.csv",
    "..\\secret.csv",
    "file:///etc/passwd",
    "",
  ];
  for (const escape of escapes) {
    const { path } = completeRun(data.path);
    editManifest(path, (manifest) => {
      (manifest.resources as Record<string, unknown>[])[1]!.path = escape;
    });
    await assertRejects(
      () => readRun(path),
      UnreadableRunError,
      "path must name a file in the folder",
      escape,
    );
  }
  const { path } = completeRun(data.path);
  await Deno.remove(join(path, "sockets.csv"));
  await makeLink(secret, join(path, "sockets.csv"));
  await assertRejects(() => readRun(path), UnreadableRunError, "is a link that leads out of the folder");
});

Deno.test("readRun() gives every row in order, over many pieces of the file", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  for (let part = 0; part < 20; part++) writer.append("requests", requestLines(1000), 1000);
  writer.append("sockets", '""\n\n"a\nb"\n', 3);
  writer.append("sockets", `\uFEFF${"x".repeat(200_000)}\n`.repeat(3), 3);
  writer.finish({ status: "complete" });
  const { requests, sockets } = (await readRun(writer.path)).tables;
  assertEquals(requests!.length, 20_000);
  assertEquals(requests!.numbers("order").every((order, at) => order === at % 1000), true);
  assertEquals(new Set(requests!.texts("variant")), new Set(["raw/new"]));
  assertEquals(sockets!.texts("state"), ["", null, "a\nb", ...Array(3).fill(`\uFEFF${"x".repeat(200_000)}`)]);
});

Deno.test("readRun() passes over a file that is no table", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  addFile(path, "capture", "capture.pcapng");
  const run = await readRun(path);
  assertEquals(Object.keys(run.tables), ["requests", "sockets"]);
  assertEquals(run.manifest.resources.at(-1), {
    name: "capture",
    path: "capture.pcapng",
    mediatype: "application/octet-stream",
  });
});

Deno.test("view() is the run with the values that the experiment sees", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const run = await readRun(path);
  const view = run.with({ summary: [METRIC] }).view({ lifetime: 2500 });
  assertEquals([view.id, view.params, view.values.lifetime], [run.id, START.params, 2500]);
  assertEquals([view.tables, view.seed, view.status], [run.tables, START.seed, "complete"]);
  assertEquals([view.environment, view.warnings, view.claims], [ENVIRONMENT, [], []]);
  assertEquals([view.summary, view.value("connections", "raw/new")], [[METRIC], 500]);
});
