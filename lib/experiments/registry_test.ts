import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { column, integer, MisuseError } from "../record/mod.ts";
import { defineExperiment } from "./contract.ts";
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

Deno.test("a name with a slash or an ending is a file, and is found from where the person stands", () => {
  assertEquals(["a-b", "a.ts", "./a", "http://127.0.0.1/a", "C:\\a.js"].map(isExperimentFile), [
    false,
    true,
    true,
    true,
    true,
  ]);
  assertEquals(locateExperiment("../mine.ts", "file:///home/notes/"), "file:///home/mine.ts");
  assertEquals(locateExperiment("handshake-cost", "file:///home/notes/"), "handshake-cost");
});

Deno.test("defineExperiment() refuses what could not run", () => {
  const good = {
    ...{
      id: "a-b",
      version: 1,
      title: "",
      question: "",
      params: {},
      tables: { rows: { n: column.count("n") } },
    },
    ...{ budgetMs: () => 1, measure: () => Promise.resolve(), summarize: () => [], figures: {} },
  };
  assertEquals(defineExperiment(good).id, "a-b");
  assertThrows(() => defineExperiment({ ...good, id: "A B" }), TypeError, "kebab case");
  assertThrows(() => defineExperiment({ ...good, tables: {} }), TypeError, "no table");
  const params = { n: integer({ min: 1, max: 9, default: 0, help: "" }) };
  assertThrows(
    () => defineExperiment({ ...good, params }),
    TypeError,
    "n must be >= 1: its preset value is 0",
  );
});
