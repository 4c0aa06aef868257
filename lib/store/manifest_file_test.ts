import { assertEquals, assertObjectMatch, assertRejects, assertThrows } from "@std/assert";
import { join } from "node:path";
import { TemporaryFolder } from "../testing/mod.ts";
import { completeRun, editManifest, ENVIRONMENT } from "./_testing.ts";
import { UnreadableRunError } from "./errors.ts";
import { readManifest, writeManifest } from "./manifest_file.ts";

type Edit = (manifest: Record<string, unknown>) => void;

/** The nested object at a path, to be edited. */
function at(value: unknown, ...keys: (string | number)[]): Record<string, unknown> {
  return keys.reduce((inner, key) => (inner as Record<string, unknown>)[key], value) as Record<
    string,
    unknown
  >;
}

Deno.test("writeManifest() replaces the descriptor whole, and leaves no temporary file when it fails", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const manifest = await readManifest(path);
  writeManifest(path, { ...manifest, title: "Another" });
  assertEquals((await readManifest(path)).title, "Another");
  const file = join(path, "datapackage.json");
  await Deno.remove(file);
  await Deno.mkdir(file);
  assertThrows(() => writeManifest(path, manifest));
  const names: string[] = [];
  for await (const { name } of Deno.readDir(path)) names.push(name);
  assertEquals(names.sort(), ["datapackage.json", "requests.csv", "sockets.csv"]);
});

Deno.test("writeManifest() refuses a descriptor that is too long to be read again, and keeps the old one", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const manifest = await readManifest(path);
  assertThrows(
    () => writeManifest(path, { ...manifest, title: "x".repeat(64 * 2 ** 20) }),
    RangeError,
    "Cannot write datapackage.json as it must not be longer than 67108864 bytes",
  );
  assertEquals(await readManifest(path), manifest);
});

Deno.test("readManifest() refuses a newer format and says what to do", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  editManifest(path, (manifest) => {
    manifest.connlab = { formatVersion: 2, shape: "unheard of" };
  });
  const error = await assertRejects(() => readManifest(path), UnreadableRunError);
  assertEquals(error.problem, `Cannot read run ${path}: its format is 2, and this connlab reads up to 1`);
  assertEquals(error.remedy, "Update connlab");
});

Deno.test("readManifest() says what is wrong with a descriptor", async () => {
  using data = new TemporaryFolder();
  const edits: [Edit, string][] = [
    [(manifest) => delete manifest.connlab, "that is not a run of connlab"],
    [(manifest) => at(manifest, "connlab").formatVersion = "1", "that is not a run of connlab"],
    [
      (manifest) => at(manifest, "connlab").formatVersion = 0,
      "connlab.formatVersion in its datapackage.json",
    ],
    [
      (manifest) => delete at(manifest, "connlab").seed,
      "connlab.seed in its datapackage.json is not as it must be",
    ],
    [(manifest) => at(manifest, "connlab").status = "done", "connlab.status"],
    [(manifest) => delete at(manifest, "connlab", "environment").system, "connlab.environment.system.os"],
    [(manifest) => at(manifest, "connlab", "environment").cpu = 2, "connlab.environment.cpu"],
    [(manifest) => at(manifest, "connlab", "environment").reasons = "none", "connlab.environment.reasons"],
    [(manifest) => at(manifest, "connlab", "environment").memoryBytes = "2", "environment.memoryBytes"],
    [(manifest) => at(manifest, "resources", 0).hash = "md5:5", "resources.0.hash"],
    [(manifest) => at(manifest, "resources", 1).format = "parquet", "resources.1.format"],
    [(manifest) => at(manifest, "resources", 1).type = "spreadsheet", "resources.1.type"],
    [(manifest) => delete at(manifest, "resources", 1).schema, "resources.1.schema"],
    [
      (manifest) => at(manifest, "resources", 0, "schema", "fields", 1).unit = "s",
      "resources.0.schema.fields.1.unit",
    ],
  ];
  for (const [edit, message] of edits) {
    const { path } = completeRun(data.path);
    editManifest(path, edit);
    await assertRejects(() => readManifest(path), UnreadableRunError, message);
  }
});

Deno.test("readManifest() lets through what it does not know", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  editManifest(path, (manifest) => {
    manifest.licenses = [{ name: "CC0-1.0" }];
  });
  assertObjectMatch(await readManifest(path), { licenses: [{ name: "CC0-1.0" }] });
});

/** The paths of the facts of an environment, and its groups that hold nothing else. */
function facts(): string[] {
  const groups = ["cpu", "network", "limits", "source"] as const;
  const members = groups.flatMap((group) =>
    Object.keys(ENVIRONMENT[group]).map((name) => `${group}.${name}`)
  );
  return ["system.kernel", "memoryBytes", ...members];
}

Deno.test("a fact that the version of the run did not record is unknown, with the reason", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const whole = await Deno.readTextFile(join(path, "datapackage.json"));
  assertEquals(facts().length, 16);
  for (const fact of facts()) {
    const keys = fact.split(".");
    const parent = ["connlab", "environment", ...keys.slice(0, -1)];
    await Deno.writeTextFile(join(path, "datapackage.json"), whole);
    editManifest(path, (manifest) => delete at(manifest, ...parent)[keys.at(-1)!]);
    const { environment } = (await readManifest(path)).connlab;
    assertEquals(at(environment, ...keys.slice(0, -1))[keys.at(-1)!], null, fact);
    assertEquals(environment!.reasons[fact], "Not recorded by the version that made the run");
    const { reasons: _, ...rest } = environment!;
    const { reasons: __, ...expected } = structuredClone(ENVIRONMENT);
    at(expected, ...keys.slice(0, -1))[keys.at(-1)!] = null;
    assertEquals<unknown>(rest, expected, fact);
  }
});

Deno.test("a group of facts that the version of the run did not record is unknown, fact by fact", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  editManifest(path, (manifest) => {
    for (const group of ["cpu", "network", "limits", "source"]) {
      delete at(manifest, "connlab", "environment")[group];
    }
  });
  const { environment } = (await readManifest(path)).connlab;
  assertEquals(environment!.cpu, { model: null, count: null, load1: null });
  assertEquals(new Set(Object.values(environment!.network)), new Set([null]));
  assertEquals(Object.keys(environment!.reasons).length, 15);
});

Deno.test("readManifest() tells a missing descriptor from a damaged one", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const file = join(path, "datapackage.json");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.slice(0, text.length / 2));
  await assertRejects(() => readManifest(path), UnreadableRunError, "is not JSON, or is cut off");
  await Deno.writeTextFile(file, "null");
  await assertRejects(() => readManifest(path), UnreadableRunError, "that is not a run of connlab");
  await Deno.remove(file);
  await assertRejects(() => readManifest(path), UnreadableRunError, "there is no datapackage.json");
  await assertRejects(() => readManifest(join(path, "requests.csv")), UnreadableRunError, "there is no");
  await Deno.mkdir(file);
  await assertRejects(() => readManifest(path), UnreadableRunError, "not a file of a plausible size");
});
