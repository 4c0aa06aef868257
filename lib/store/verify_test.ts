import { assertEquals, assertMatch } from "@std/assert";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { TemporaryFolder } from "../testing/mod.ts";
import { addFile, completeRun, editManifest, makeLink, requestLines, START } from "./_testing.ts";
import { createRun } from "./run_writer.ts";
import { verifyRun } from "./verify.ts";

function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function resource(manifest: Record<string, unknown>, index: number): Record<string, unknown> {
  return (manifest.resources as Record<string, unknown>[])[index]!;
}

Deno.test("verifyRun() finds a complete run as it was written", async () => {
  using data = new TemporaryFolder();
  const { id, path } = completeRun(data.path);
  const { files, ...run } = await verifyRun(path);
  assertEquals(run, { id, path, status: "complete", verdict: "ok" });
  assertEquals(files.map(({ file, verdict }) => [file, verdict]), [
    ["requests.csv", "ok"],
    ["sockets.csv", "ok"],
  ]);
});

Deno.test("verifyRun() names file, expected and found hash when one byte was changed", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const file = join(path, "requests.csv");
  const before = await Deno.readFile(file);
  const after = before.slice();
  after[after.length - 10]! ^= 1;
  await Deno.writeFile(file, after);
  const { verdict, files } = await verifyRun(path);
  assertEquals(verdict, "differs");
  assertEquals(files[0], {
    file: "requests.csv",
    verdict: "hash differs",
    expected: sha256(before),
    found: sha256(after),
    line: null,
    message: `requests.csv is not as it was written: its hash must be ${sha256(before)}, and is ${
      sha256(after)
    }`,
  });
  assertEquals(files[1]!.verdict, "ok");
});

Deno.test("verifyRun() finds files that are missing, and files that nobody named", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  await Deno.writeTextFile(join(path, "notes.txt"), "");
  const extra = await verifyRun(path);
  assertEquals([extra.verdict, extra.files.at(-1)!.file, extra.files.at(-1)!.verdict], [
    "ok",
    "notes.txt",
    "extra",
  ]);
  await Deno.remove(join(path, "sockets.csv"));
  const missing = await verifyRun(path);
  assertEquals([missing.verdict, missing.files[1]!.verdict], ["differs", "missing"]);
});

Deno.test("verifyRun() holds rows and schema against a file whose hash is right", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  editManifest(path, (manifest) => {
    resource(manifest, 0).rows = 4;
    const { fields } = resource(manifest, 1).schema as { fields: Record<string, unknown>[] };
    fields[0]!.type = "integer";
  });
  const { verdict, files } = await verifyRun(path);
  assertEquals(verdict, "differs");
  assertEquals([files[0]!.verdict, files[0]!.expected, files[0]!.found], ["rows differ", "4", "3"]);
  assertEquals([files[1]!.verdict, files[1]!.line], ["schema violation", 2]);
  assertMatch(files[1]!.message, /line 2: column state must be a whole number: found "TIME_WAIT"/);
});

Deno.test("verifyRun() holds a file that is no table against its hash", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const bytes = Uint8Array.of(0x0a, 0x0d, 0x0d, 0x0a, 0xff, 0x00);
  await Deno.mkdir(join(path, "hdr"));
  for (const file of ["capture.pcapng", "hdr/service.hdr"]) {
    addFile(path, file.split(".")[0]!.replace("/", "-"), file, { bytes: 6, hash: sha256(bytes) });
    await Deno.writeFile(join(path, file), bytes);
  }
  const verdicts = async () => {
    const { verdict, files } = await verifyRun(path);
    return [verdict, ...files.map(({ file, verdict }) => `${file} ${verdict}`)];
  };
  const tables = ["requests.csv ok", "sockets.csv ok"];
  assertEquals(await verdicts(), ["ok", ...tables, "capture.pcapng ok", "hdr/service.hdr ok"]);
  await Deno.writeFile(join(path, "hdr/service.hdr"), bytes.slice(1));
  assertEquals(await verdicts(), ["differs", ...tables, "capture.pcapng ok", "hdr/service.hdr hash differs"]);
  await Deno.remove(join(path, "capture.pcapng"));
  assertEquals((await verdicts())[3], "capture.pcapng missing");
  await makeLink("/dev/zero", join(path, "capture.pcapng"));
  assertEquals((await verdicts())[3], "capture.pcapng refused");
});

Deno.test("verifyRun() says unverifiable of a file that is no table in an incomplete run", async () => {
  using data = new TemporaryFolder();
  const writer = createRun(data.path, START);
  writer[Symbol.dispose]();
  addFile(writer.path, "capture", "capture.pcapng");
  assertEquals((await verifyRun(writer.path)).files[2]!.verdict, "unverifiable");
  await Deno.writeTextFile(join(writer.path, "capture.pcapng"), "half");
  const { verdict, message } = (await verifyRun(writer.path)).files[2]!;
  assertEquals([verdict, message], [
    "unverifiable",
    "capture.pcapng has 4 bytes; the run is incomplete, so more may be missing",
  ]);
});

Deno.test("verifyRun() says unverifiable of an incomplete run, torn or not", async () => {
  using data = new TemporaryFolder();
  const writer = createRun(data.path, START);
  writer.append("requests", requestLines(2), 2);
  writer[Symbol.dispose]();
  await Deno.writeTextFile(join(writer.path, "requests.csv"), "raw/new,2,0.", { append: true });
  await Deno.remove(join(writer.path, "sockets.csv"));
  const { verdict, status, files } = await verifyRun(writer.path);
  assertEquals([verdict, status], ["unverifiable", "incomplete"]);
  assertEquals(files.map(({ verdict }) => verdict), ["unverifiable", "unverifiable"]);
  assertMatch(files[0]!.message, /has 2 rows/);
  await Deno.writeTextFile(join(writer.path, "requests.csv"), "ged\n", { append: true });
  assertEquals((await verifyRun(writer.path)).files[0]!.verdict, "schema violation");
});

Deno.test("verifyRun() says unverifiable of a complete run without a hash, and why", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  editManifest(path, (manifest) => delete resource(manifest, 0).hash);
  const { verdict, files } = await verifyRun(path);
  assertEquals([verdict, files[0]!.verdict, files[0]!.message], [
    "unverifiable",
    "unverifiable",
    "requests.csv has 3 rows; the descriptor has no hash that it could be held against",
  ]);
});

Deno.test("verifyRun() checks the other files when one cannot be read", async () => {
  using data = new TemporaryFolder();
  const { path } = completeRun(data.path);
  const stat = Deno.stat;
  Deno.stat = (file) => {
    if (!String(file).endsWith("requests.csv")) return stat(file);
    throw new Deno.errors.PermissionDenied("Permission denied (os error 13)");
  };
  try {
    const { verdict, files } = await verifyRun(path);
    assertEquals([verdict, ...files.map(({ verdict }) => verdict)], ["differs", "refused", "ok"]);
    assertEquals(files[0]!.message, "requests.csv cannot be read: Permission denied (os error 13)");
  } finally {
    Deno.stat = stat;
  }
});

Deno.test("verifyRun() sees an edit in a run that was interrupted and closed", async () => {
  using data = new TemporaryFolder();
  const writer = createRun(data.path, START);
  writer.append("requests", requestLines(2), 2);
  writer.finish({ status: "incomplete", reason: "Interrupted" });
  assertEquals((await verifyRun(writer.path)).verdict, "unverifiable");
  await Deno.writeTextFile(join(writer.path, "requests.csv"), requestLines(1), { append: true });
  const { verdict, files } = await verifyRun(writer.path);
  assertEquals([verdict, files[0]!.verdict], ["differs", "hash differs"]);
});

Deno.test("verifyRun() opens nothing outside of the folder, and nothing that is not a plain file", async () => {
  using data = new TemporaryFolder();
  const secret = join(data.path, "secret.csv");
  await Deno.writeTextFile(secret, "state\nsecret\n");
  for (const escape of ["../../secret.csv", secret, "sub/../../../secret.csv", "C:/secret.csv"]) {
    const { path } = completeRun(data.path);
    editManifest(path, (manifest) => resource(manifest, 1).path = escape);
    const { verdict, files } = await verifyRun(path);
    assertEquals([verdict, files[1]!.verdict, files[1]!.found], ["differs", "refused", null], escape);
  }
  const { path } = completeRun(data.path);
  const file = join(path, "sockets.csv");
  for (const target of [secret, "/dev/zero", "/", file]) {
    await Deno.remove(file);
    await makeLink(target, file);
    assertEquals((await verifyRun(path)).files[1]!.verdict, "refused", target);
  }
  await Deno.remove(file);
  await Deno.mkdir(file);
  assertEquals((await verifyRun(path)).files[1]!.verdict, "refused");
});
