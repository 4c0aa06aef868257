import { assertEquals, assertRejects } from "@std/assert";
import { column, metric } from "../record/mod.ts";
import { listRuns, readRun, type RunStart } from "../store/mod.ts";
import { TemporaryFolder } from "../testing/mod.ts";
import { recordHere } from "./record_here.ts";

const START: RunStart = {
  experiment: {
    id: "two-tables",
    version: 1,
    title: "Two tables",
    question: "Are both kept?",
    origin: "lab",
  },
  tables: { laps: { ms: column.ms("how long") }, notes: { text: column.text("what") } },
  params: { laps: 2 },
  seed: 0,
};

Deno.test("recordHere() saves rows of several tables, what was found, and the environment", async () => {
  using data = new TemporaryFolder();
  const path = await recordHere(data.path, START, (emit) => {
    emit("laps", { ms: 1.5 });
    emit("notes", { text: "a" });
    emit("laps", { ms: 2 });
    return Promise.resolve({ summary: [metric("laps", { value: 2, unit: "1" })] });
  });
  const run = await readRun(path);
  assertEquals(run.status, "complete");
  assertEquals([...run.tables.laps!.rows()], [{ ms: 1.5 }, { ms: 2 }]);
  assertEquals([...run.tables.notes!.rows()], [{ text: "a" }]);
  assertEquals(run.summary[0]?.value, 2);
  assertEquals(run.environment?.runtime.deno, Deno.version.deno);
});

Deno.test("recordHere() keeps the rows of a measurement that fails", async () => {
  using data = new TemporaryFolder();
  await assertRejects(
    () =>
      recordHere(data.path, START, (emit) => {
        emit("laps", { ms: 1 });
        emit("no-such-table", {});
        return Promise.resolve({});
      }),
    RangeError,
    "there is no table no-such-table",
  );
  const [entry] = await listRuns(data.path);
  const run = await readRun(entry!.path);
  assertEquals(run.status, "failed");
  assertEquals(run.tables.laps!.length, 1);
});
