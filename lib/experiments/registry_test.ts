import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { pathToFileURL } from "node:url";
import { MisuseError } from "../record/mod.ts";
import { TemporaryFolder, until } from "../testing/mod.ts";
import { experimentIds, isExperimentFile, loadExperiment, locateExperiment } from "./registry.ts";

Deno.test("every experiment of the lab loads under its own id, with its tables, figures and claims", async () => {
  for (const id of experimentIds()) {
    const { experiment, origin } = await loadExperiment(id);
    assertEquals({ id: experiment.id, origin }, { id, origin: "lab" });
    const claims = (experiment.claims ?? []).map((claim) => claim.id);
    assertEquals(new Set(claims).size, claims.length);
  }
});

Deno.test("loadExperiment() names the experiment that was probably meant", async () => {
  await assertRejects(() => loadExperiment("handshake"), MisuseError, "the experiments are");
  await assertRejects(() => loadExperiment("handshake-coast"), MisuseError, "did you mean handshake-cost?");
  await assertRejects(() => loadExperiment("toString"), MisuseError, "Cannot find experiment toString");
});

Deno.test("loadExperiment() does not wait for a file that never loads", async () => {
  using folder = new TemporaryFolder();
  const file =
    pathToFileURL(folder.write("never.ts", "await new Promise((load) => globalThis.load = load);")).href;
  await assertRejects(
    () => loadExperiment(file, { limitMs: 1 }),
    MisuseError,
    "Cannot load experiment file never.ts: it was not loaded after 0.001 s, and may await what never comes",
  );
  // What is waited for comes after all: nothing is left behind in this process.
  (await until(() => (globalThis as { load?: () => void }).load))();
  await import(file);
});

Deno.test("a name with a slash or an ending is a file, and is found from where the person stands", () => {
  assertEquals(["a-b", "a.ts", "./a", "http://127.0.0.1/a", "C:\\a.js"].map(isExperimentFile), [
    false,
    true,
    true,
    true,
    true,
  ]);
  const located = (name: string) => locateExperiment(name, "/home/notes");
  assertEquals(located("../mine.ts"), "file:///home/mine.ts");
  assertEquals(located("./100%20 #1?.ts"), "file:///home/notes/100%2520%20%231%3F.ts");
  assertEquals(located("https://example.org/a%20b.ts?v=1"), "https://example.org/a%20b.ts?v=1");
  assertEquals(located("file:///a%20b.ts"), "file:///a%20b.ts");
  assertEquals(located("handshake-cost"), "handshake-cost");
  assertThrows(() => located("http://"), MisuseError, "it is not a whole URL");
});
