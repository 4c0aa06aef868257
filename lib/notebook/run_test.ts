import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { MisuseError } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { makeRun, openedRun, writeExperiment } from "./_testing.ts";
import { openRun } from "./open_run.ts";
import type { Run } from "./run.ts";

function assertNotDrawn(run: Run, figure: string, why: string): void {
  assertThrows(
    () => run.figure(figure),
    RangeError,
    `Cannot draw figure ${figure} of run ${run.id} as ${why}`,
  );
  assertEquals(run.figures, []);
}

Deno.test("a figure sees the parameters as the experiment does: a duration in milliseconds", async () => {
  using folder = new TemporaryFolder();
  const run = await openedRun(folder.path);
  assertEquals([run.params, run.figures], [{ lifetime: "2500ms" }, ["waits"]]);
  const { title } = run.figure("waits").layout as { title: { subtitle: { text: string } } };
  assertEquals(title.subtitle.text, "a lifetime of 2500.5 ms");
});

Deno.test("a figure is not drawn by another version of the experiment, older or newer", async () => {
  using folder = new TemporaryFolder();
  for (const [made, now] of [[1, 2], [2, 1]] as const) {
    const path = makeRun(folder.path, { experiment: { version: made } });
    const run = await openRun(path, writeExperiment(folder.path, now));
    assertNotDrawn(
      run,
      "waits",
      `version ${made} of waits made it, and version ${now} may mean something else`,
    );
    assertThrows(() => run.figure("waits"), RangeError, `load it with the file of version ${made}`);
    assertEquals([run.rows("waits").length, run.experiment.version], [3, made]);
    assertEquals((await openRun(path, writeExperiment(folder.path, made))).figure("waits").data.length, 1);
  }
});

Deno.test("a figure of the lab's own experiment is not drawn by another version of it", async () => {
  using folder = new TemporaryFolder();
  const lab = { id: "handshake-cost", origin: "lab" } as const;
  const run = await openRun(makeRun(folder.path, { experiment: { ...lab, version: 1000 } }));
  assertNotDrawn(run, "elapsed", "version 1000 of handshake-cost made it");
  assertThrows(() => run.figure("elapsed"), RangeError, "draw it with a connlab that has version 1000");
});

Deno.test("a run is not opened with the file of another experiment", async () => {
  using folder = new TemporaryFolder();
  const path = makeRun(folder.path);
  await assertRejects(
    () => openRun(path, writeExperiment(folder.path, 1, "other-waits")),
    MisuseError,
    "with the experiment other-waits: it is a run of waits",
  );
});

Deno.test("a run whose experiment is not at hand has rows, and says how to have figures", async () => {
  using folder = new TemporaryFolder();
  const run = await openRun(makeRun(folder.path));
  assertNotDrawn(run, "waits", "its experiment is not at hand: load the run with the experiment's file");
  assertEquals(run.rows("waits")[0], { order: 0, waitMs: 1 });
  const cell = await openRun(makeRun(folder.path, { experiment: { id: "quick-look", origin: "cell" } }));
  assertNotDrawn(cell, "waits", "a measurement in a cell has none");
  // A person's own file may bear the name of one of the lab's.
  const namesake = await openRun(makeRun(folder.path, { experiment: { id: "handshake-cost" } }));
  assertNotDrawn(namesake, "elapsed", "its experiment is not at hand");
});

Deno.test("a parameter that the experiment has no more is not passed over when a figure is drawn", async () => {
  using folder = new TemporaryFolder();
  const run = await openedRun(folder.path, { params: { lifetime: "2500ms", retries: 3 } });
  assertThrows(() => run.figure("waits"), MisuseError, "Cannot use parameter retries");
});
