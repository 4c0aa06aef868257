import { assertEquals, assertThrows } from "@std/assert";
import type { Figure } from "../record/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { openedRun } from "./_testing.ts";
import { overlayRuns } from "./overlay_runs.ts";

function subtitleOf({ layout }: Figure): string {
  return (layout.title as { subtitle: { text: string } }).subtitle.text.replaceAll("<br>", " ");
}

Deno.test("an overlay names all runs, in its traces and in its metadata", async () => {
  using folder = new TemporaryFolder();
  const runs = [
    await openedRun(folder.path, { label: "before" }),
    await openedRun(folder.path, { label: "after", waitsMs: [10, 20, 3000] }),
  ];
  const { data, layout } = overlayRuns(runs, "waits");
  assertEquals(data.map(({ name }) => name), ["before: wait", "after: wait"]);
  assertEquals(layout.meta, { runs: runs.map((run) => run.figure("waits").layout.meta) });
  assertEquals(subtitleOf({ data, layout }), "The same parameters in all runs · a lifetime of 2500.5 ms");
});

Deno.test("runs are named by their ids where labels do not tell them apart", async () => {
  using folder = new TemporaryFolder();
  const names = async (...labels: (string | undefined)[]) => {
    const runs = [];
    for (const label of labels) runs.push(await openedRun(folder.path, label === undefined ? {} : { label }));
    const shortIds = runs.map(({ id }) => id.split("/")[1]);
    return overlayRuns(runs, "waits").data.map(({ name }) => {
      const layer = `${name}`.replace(": wait", "");
      return shortIds.includes(layer) ? "id" : layer;
    });
  };
  assertEquals(await names(undefined, "after"), ["id", "after"]);
  assertEquals(await names("", ""), ["id", "id"]);
  assertEquals(await names("same", "same", "other"), ["id", "id", "other"]);
});

Deno.test("an overlay says which parameters differ, and how", async () => {
  using folder = new TemporaryFolder();
  const runs = [
    await openedRun(folder.path, { label: "before", params: { lifetime: "1s" } }),
    await openedRun(folder.path, { label: "after", params: {} }),
  ];
  assertEquals(
    subtitleOf(overlayRuns(runs, "waits")),
    "lifetime: 1s in before, none in after · a lifetime of 1000.5 ms",
  );
  const long = await openedRun(folder.path, { label: "long", params: { lifetime: "2500ms" } });
  assertEquals(
    subtitleOf(overlayRuns([runs[0]!, long], "waits")),
    "lifetime: 1s in before, 2500ms in long · before: a lifetime of 1000.5 ms · long: a lifetime of 2500.5 ms",
  );
});

Deno.test("runs that say different things are not overlaid", async () => {
  using folder = new TemporaryFolder();
  const run = await openedRun(folder.path);
  const other = await openedRun(folder.path, { experiment: { id: "other-waits" } });
  const newer = await openedRun(folder.path, { experiment: { version: 2 } });
  assertThrows(
    () => overlayRuns([run, other], "waits"),
    RangeError,
    "different experiments: there are waits and other-waits",
  );
  assertThrows(
    () => overlayRuns([run, newer], "waits"),
    RangeError,
    `${run.id} is of version 1, ${newer.id} is of version 2`,
  );
  assertThrows(() => overlayRuns([run, run], "waits"), RangeError, `${run.id} is among them twice`);
  assertThrows(() => overlayRuns([run], "waits"), RangeError, "must be 2 to 5: there are 1");
  assertThrows(() => overlayRuns([], "waits"), RangeError, "must be 2 to 5: there are 0");
});
