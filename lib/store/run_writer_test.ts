import {
  assert,
  assertEquals,
  assertFalse,
  assertGreater,
  assertMatch,
  assertNotEquals,
  assertObjectMatch,
  assertThrows,
} from "@std/assert";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CannotRunHereError, column } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { ENVIRONMENT, requestLines, START } from "./_testing.ts";
import { readManifest } from "./manifest_file.ts";
import { readRun } from "./run_reader.ts";
import { createRun } from "./run_writer.ts";

const STARTED = new Date("2026-12-01T10:15:00.250Z");

function names(path: string): string[] {
  return Array.from(Deno.readDirSync(path), ({ name }) => name).sort();
}

Deno.test("createRun() makes a readable incomplete run at once", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(join(data.path, "data"), START, { started: STARTED, random: () => 0.5 });
  assertEquals(writer.id, "handshake-cost/20261201T101500Z-iiii");
  assertEquals(writer.path, join(data.path, "data", "handshake-cost", "20261201T101500Z-iiii"));
  assertEquals(names(writer.path), ["datapackage.json", "requests.csv", "sockets.csv"]);
  const { connlab, resources, ...manifest } = await readManifest(writer.path);
  assertEquals(manifest, {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    name: "handshake-cost-20261201t101500z-iiii",
    title: "Handshake cost",
    created: "2026-12-01T10:15:00.250Z",
  });
  assertEquals(connlab.status, "incomplete");
  assertEquals(connlab.params, START.params);
  assertEquals([connlab.finished, connlab.environment, connlab.label], [null, null, null]);
  assertEquals(resources[0], {
    name: "requests",
    path: "requests.csv",
    type: "table",
    format: "csv",
    mediatype: "text/csv",
    encoding: "utf-8",
    schema: {
      fields: [
        { name: "variant", type: "string", description: "the arm" },
        { name: "order", type: "integer", unit: "1", description: "which request" },
        { name: "connectMs", type: "number", unit: "ms", description: "time to connect" },
        { name: "reused", type: "boolean", description: "whether the connection was reused" },
      ],
      missingValues: [""],
    },
  });
});

Deno.test("rows are on disk before the run is finished", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  writer.append("requests", requestLines(2), 2);
  writer.append("requests", "raw/shared,2,,true\n", 1);
  const run = await readRun(writer.path);
  assertEquals(run.status, "incomplete");
  assertEquals(run.warnings, []);
  assertEquals([...run.tables.requests!.rows()].at(-1), {
    variant: "raw/shared",
    order: 2,
    connectMs: null,
    reused: true,
  });
  assertEquals(run.tables.requests!.length, 3);
  assertEquals(run.tables.sockets!.length, 0);
});

Deno.test("finish() records size, hash and number of rows of each table", () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  writer.append("requests", requestLines(2), 2);
  writer.append("requests", "Größe,3,,\n", 1);
  const finished = new Date("2026-12-01T10:16:00Z");
  const manifest = writer.finish({ status: "complete", environment: ENVIRONMENT, finished });
  const bytes = Deno.readFileSync(join(writer.path, "requests.csv"));
  const [requests, sockets] = manifest.resources;
  assertEquals(requests!.bytes, bytes.length);
  assertEquals(requests!.hash, `sha256:${createHash("sha256").update(bytes).digest("hex")}`);
  assertObjectMatch(requests!, { rows: 3 });
  assertObjectMatch(sockets!, { rows: 0 });
  assertEquals(Deno.readTextFileSync(join(writer.path, "sockets.csv")), "state\n");
  const written = JSON.parse(Deno.readTextFileSync(join(writer.path, "datapackage.json")));
  assertEquals(written, JSON.parse(JSON.stringify(manifest)));
  assertEquals(written.connlab.finished, "2026-12-01T10:16:00.000Z");
  assertEquals([written.connlab.status, written.connlab.reason], ["complete", null]);
  assertEquals(names(writer.path), ["datapackage.json", "requests.csv", "sockets.csv"]);
});

Deno.test("update() adds to a run that stays incomplete, and finish() keeps what it does not replace", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  const warnings = [{ code: "busy", message: "The machine is busy", remedy: "Wait" }];
  writer.update({ environment: ENVIRONMENT, warnings });
  const early = await readManifest(writer.path);
  assertEquals([early.connlab.status, early.connlab.environment], ["incomplete", ENVIRONMENT]);
  writer.finish({ status: "failed", reason: "The server died" });
  const late = await readManifest(writer.path);
  assertEquals([late.connlab.status, late.connlab.reason], ["failed", "The server died"]);
  assertEquals([late.connlab.environment, late.connlab.warnings], [ENVIRONMENT, warnings]);
});

Deno.test("finish() may be called again with what was found in the rows", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  const first = writer.finish({ status: "complete" });
  const metric = {
    name: "requests",
    variant: null,
    value: 0,
    unit: "1",
    low: null,
    high: null,
    reason: null,
  };
  writer.finish({ status: "complete", summary: [{ ...metric, unit: "1" }] });
  const second = await readManifest(writer.path);
  assertEquals(second.connlab.summary.length, 1);
  assertEquals(second.resources, first.resources);
});

Deno.test("a writer refuses what does not fit, and keeps going", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  assertThrows(() => writer.append("request", "x\n", 1), RangeError, "its tables are requests, sockets");
  assertThrows(() => writer.append("sockets", "a\nb", 2), TypeError, "does not end in a line feed");
  assertFalse(writer.failed);
  writer.append("sockets", "ESTABLISHED\n", 1);
  assertEquals((await readRun(writer.path)).tables.sockets!.texts("state"), ["ESTABLISHED"]);
  writer.finish({ status: "complete" });
  assertThrows(() => writer.append("sockets", "LATE\n", 1), Error, "as it is finished");
  assertThrows(() => writer.update({ reason: "late" }), Error, "as it is finished");
});

Deno.test("createRun() refuses what could not be read again, and names that would not do as a file's", () => {
  using data = new TemporaryFolder();
  const schema = { a: column.text("a") };
  for (const name of ["../up", "Requests", "a b", "", "con/aux", ".hidden"]) {
    assertThrows(
      () => createRun(data.path, { ...START, tables: { [name]: schema } }),
      TypeError,
      "name of a table",
    );
    const experiment = { ...START.experiment, id: name };
    assertThrows(() => createRun(data.path, { ...START, experiment }), TypeError, "in kebab case");
  }
  for (
    const columns of [{}, { a: { ...schema.a, type: "float" } }, { a: { ...schema.a, unit: "s" } }, { a: 5 }]
  ) {
    const tables = { rows: columns } as unknown as typeof START.tables;
    assertThrows(() => createRun(data.path, { ...START, tables }), TypeError, "table rows must have columns");
  }
  const label = 5 as unknown as string;
  assertThrows(() => createRun(data.path, { ...START, label }), TypeError, "its label must be text");
  assertEquals(names(data.path), []);
});

Deno.test("two runs at the same moment get a folder each", () => {
  using data = new TemporaryFolder();
  const numbers = [0, 0, 0, 0, 0, 0, 0, 0, 0.9, 0, 0, 0];
  const options = { started: STARTED, random: () => numbers.shift()! };
  using first = createRun(data.path, START, options);
  using second = createRun(data.path, START, options);
  assertNotEquals(first.id, second.id);
  assertEquals(names(join(data.path, "handshake-cost")).length, 2);
});

Deno.test("a run that cannot begin leaves no folder, and those of other runs", () => {
  using data = new TemporaryFolder();
  const open = Deno.openSync;
  const refuse = () => {
    Deno.openSync = () => {
      throw new Error("No space left on device");
    };
    try {
      assertThrows(() => createRun(data.path, START), CannotRunHereError, "No space left on device");
    } finally {
      Deno.openSync = open;
    }
  };
  refuse();
  assertEquals(names(data.path), []);
  using other = createRun(data.path, START);
  refuse();
  assertEquals(names(join(data.path, "handshake-cost")).map((name) => `handshake-cost/${name}`), [other.id]);
});

Deno.test("finish() completes no run whose tables are not as they were written", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  writer.append("requests", requestLines(2), 2);
  Deno.removeSync(join(writer.path, "sockets.csv"));
  assertThrows(
    () => writer.finish({ status: "complete" }),
    Error,
    `Cannot complete run ${writer.id} as sockets.csv is missing`,
  );
  assertEquals((await readManifest(writer.path)).connlab.status, "incomplete");
  writer.finish({ status: "failed", reason: "It was removed" });
  assertEquals((await readManifest(writer.path)).connlab.status, "failed");
});

Deno.test("a data folder that cannot be written is a matter of this machine, with a remedy", () => {
  using data = new TemporaryFolder();
  const file = join(data.path, "file");
  Deno.writeTextFileSync(file, "");
  const error = assertThrows(() => createRun(join(file, "data"), START), CannotRunHereError);
  assertMatch(error.message, /^Cannot write run to .*file.data: /);
  assertMatch(error.remedy, /--data/);
});

Deno.test("a write that fails in the middle of a row keeps the rows before it, and a hash of those", async () => {
  using data = new TemporaryFolder();
  using writer = createRun(data.path, START);
  writer.append("requests", 'raw/new,0,,\n"quoted\nname",1,,\n', 2);
  const write = Deno.FsFile.prototype.writeSync;
  try {
    let calls = 0;
    Deno.FsFile.prototype.writeSync = function (bytes) {
      if (calls++ > 0) throw new Error("No space left on device");
      return write.call(this, bytes.subarray(0, 25));
    };
    // 25 bytes are the first row, and a quoted cell of the second with its line feed.
    const text = 'raw/new,2,,\n"another\nname",3,,\n';
    assertThrows(() => writer.append("requests", text, 2), Error, "No space left on device");
  } finally {
    Deno.FsFile.prototype.writeSync = write;
  }
  assert(writer.failed);
  assertThrows(() => writer.append("requests", "x,4,,\n", 1), Error, "writing to it has failed before");
  const manifest = writer.finish({ status: "failed", reason: "The disk is full" });
  const bytes = await Deno.readFile(join(writer.path, "requests.csv"));
  assertObjectMatch(manifest.resources[0]!, { rows: 3 });
  assertEquals(manifest.resources[0]!.bytes, bytes.length);
  assertEquals(manifest.resources[0]!.hash, `sha256:${createHash("sha256").update(bytes).digest("hex")}`);
  assertEquals([...(await readRun(writer.path)).tables.requests!.numbers("order")], [0, 1, 2]);
});

/** Runs a program with a disk of its own, of 256 KiB, mounted on a folder. */
function withSmallDisk(folder: string, command: readonly string[]): Promise<Deno.CommandOutput> {
  const mount = 'mount -t tmpfs -o size=256k tmpfs "$1" && shift && exec "$@"';
  const args = ["-rm", "sh", "-c", mount, "sh", folder, ...command];
  return new Deno.Command("unshare", { args, stdin: "null" }).output();
}

async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  using folder = new TemporaryFolder();
  try {
    return (await withSmallDisk(folder.path, ["true"])).success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "a full disk keeps the rows that fit, and the run stays readable",
  ignore: !(await canMount()),
  fn: async () => {
    using folder = new TemporaryFolder();
    const script = fileURLToPath(import.meta.resolve("./_full_disk_main.ts"));
    const config = fileURLToPath(import.meta.resolve("../../deno.json"));
    const rights = ["--allow-read", `--allow-write=${folder.path}`];
    const deno = [
      "deno",
      "run",
      "--quiet",
      "--no-prompt",
      `--config=${config}`,
      ...rights,
      script,
      folder.path,
    ];
    const { success, stdout, stderr } = await withSmallDisk(folder.path, deno);
    assert(success, new TextDecoder().decode(stderr));
    const seen = JSON.parse(new TextDecoder().decode(stdout));
    assertMatch(seen.failure, /^Cannot write rows to table requests of run .*No space left/);
    assertMatch(seen.again, /writing to it has failed before/);
    assert(seen.failed);
    assertMatch(seen.end, /No space left/);
    assertEquals(seen.status, "incomplete");
    assertGreater(seen.rows, 1000);
    assertEquals(seen.lastOrder, (seen.rows - 1) % 1000);
    assertEquals(seen.files, ["datapackage.json", "requests.csv", "sockets.csv"]);
    assertMatch(seen.none, /^Cannot write run to .*No space left/);
    assertEquals(seen.second, []);
  },
});
