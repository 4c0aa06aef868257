import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join, relative } from "node:path";
import { MisuseError } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { completeRun, makeLink, START } from "./_testing.ts";
import { findRun, listRuns } from "./runs.ts";
import { createRun } from "./run_writer.ts";

/** Three runs of two experiments; the second began first. */
function threeRuns(data: string) {
  const random = (suffix: string) => {
    let at = 0;
    return () => (parseInt(suffix[at++]!, 36) + 0.5) / 36;
  };
  const first = completeRun(data, { started: new Date("2026-12-01T10:00:00.100Z"), random: random("zzzz") });
  const other = createRun(data, { ...START, experiment: { ...START.experiment, id: "other" } }, {
    started: new Date("2026-11-01T10:00:00Z"),
    random: random("aaaa"),
  });
  other[Symbol.dispose]();
  const last = completeRun(data, { started: new Date("2026-12-01T10:00:00.200Z"), random: random("aabb") });
  return { first, other, last };
}

Deno.test("listRuns() lists the newest last, also within a second", async () => {
  using data = new TemporaryFolder();
  const { first, other, last } = threeRuns(data.path);
  const entries = await listRuns(data.path);
  assertEquals(entries.map(({ id }) => id), [other.id, first.id, last.id]);
  assertEquals(entries.map(({ manifest }) => manifest?.connlab.status), [
    "incomplete",
    "complete",
    "complete",
  ]);
  assertEquals(entries.map(({ problem }) => problem), [null, null, null]);
  assertEquals((await listRuns(data.path, "other")).map(({ path }) => path), [other.path]);
});

Deno.test("listRuns() is empty where nothing is, and stays in its folder", async () => {
  using data = new TemporaryFolder();
  threeRuns(join(data.path, "data"));
  assertEquals(await listRuns(join(data.path, "nowhere")), []);
  assertEquals(await listRuns(join(data.path, "data"), "nothing"), []);
  assertEquals(await listRuns(join(data.path, "data", "other"), "../handshake-cost"), []);
});

Deno.test("listRuns() reports what cannot be read, and passes over what is no folder", async () => {
  using data = new TemporaryFolder();
  const { other, first, last } = threeRuns(data.path);
  await Deno.mkdir(join(data.path, "handshake-cost", "backup"));
  await Deno.mkdir(join(data.path, "handshake-cost", ".ipynb_checkpoints"));
  await Deno.writeTextFile(join(data.path, "handshake-cost", "notes.txt"), "");
  await Deno.writeTextFile(join(data.path, ".gitignore"), "");
  await Deno.writeTextFile(join(first.path, "datapackage.json"), "{");
  const entries = await listRuns(data.path);
  assertEquals(entries.map(({ id }) => id), ["handshake-cost/backup", other.id, first.id, last.id]);
  assertMatch(entries[0]!.problem!, /there is no datapackage.json/);
  assertMatch(entries[2]!.problem!, /is not JSON/);
  assertEquals([entries[2]!.manifest, entries[2]!.started], [null, "2026-12-01T10:00:00.000Z"]);
});

Deno.test("one folder that cannot be read keeps no other run from being listed and found", async () => {
  using data = new TemporaryFolder();
  const { first, other, last } = threeRuns(data.path);
  const loop = join(other.path, "datapackage.json");
  await Deno.remove(loop);
  await makeLink(loop, loop);
  await Deno.mkdir(join(data.path, "secret"));
  const read = Deno.readDir;
  // What the system would say of a folder of somebody else.
  Deno.readDir = (path) => {
    if (!String(path).endsWith("secret")) return read(path);
    throw new Deno.errors.PermissionDenied("Permission denied (os error 13)");
  };
  try {
    const entries = await listRuns(data.path);
    assertEquals(entries.map(({ id, manifest }) => [id, manifest?.connlab.status]), [
      ["secret", undefined],
      [other.id, undefined],
      [first.id, "complete"],
      [last.id, "complete"],
    ]);
    assertMatch(entries[0]!.problem!, /^Permission denied/);
    assertMatch(entries[1]!.problem!, /^Cannot read run .*: .*(links|loop)/i);
    assertEquals(await findRun(data.path, "latest"), last.path);
    assertEquals(await findRun(data.path, first.id), first.path);
  } finally {
    Deno.readDir = read;
  }
});

Deno.test("findRun() takes ids, beginnings, paths and the latest", async () => {
  using data = new TemporaryFolder();
  const { first, other, last } = threeRuns(data.path);
  await Deno.mkdir(join(data.path, "handshake-cost", "zzz"));
  const [, lastId] = last.id.split("/");
  const cases: [string, string][] = [
    ["latest", last.path],
    ["other/latest", other.path],
    ["handshake-cost/latest", last.path],
    [last.id, last.path],
    [lastId!, last.path],
    [lastId!.slice(0, -2), last.path],
    [`handshake-cost/${lastId!.slice(0, -3)}`, last.path],
    ["202611", other.path],
    [first.path, first.path],
    [`${first.path}/`, first.path],
    [join(first.path, "datapackage.json"), first.path],
    [relative(Deno.cwd(), first.path), first.path],
  ];
  for (const [name, path] of cases) assertEquals(await findRun(data.path, name), path, name);
});

Deno.test("findRun() says why it finds no run, or more than one", async () => {
  using data = new TemporaryFolder();
  const { first, last } = threeRuns(data.path);
  const several = `as 2 begin so: ${first.id}, ${last.id}`;
  await assertRejects(() => findRun(data.path, "202612"), MisuseError, several);
  await assertRejects(() => findRun(data.path, "nothing/latest"), MisuseError, "none of experiment nothing");
  await assertRejects(() => findRun(data.path, `${first.id}x`), MisuseError, `did you mean ${first.id}?`);
  for (const name of ["", "/", "elsewhere", "../latest"]) {
    await assertRejects(() => findRun(data.path, name), MisuseError, "Cannot find", name);
  }
  await assertRejects(() => findRun(join(data.path, "nowhere"), "latest"), MisuseError, "there is none in");
});
