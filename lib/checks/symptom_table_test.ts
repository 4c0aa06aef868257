import { assert, assertEquals, assertThrows } from "@std/assert";
import { CONDITIONS, FAILURES, LABELS, symptoms } from "../record/mod.ts";
import { withSymptomTable } from "./symptom_table.ts";

Deno.test("the README's table of symptoms is the one that the code gives", async () => {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  assertEquals(
    readme,
    withSymptomTable(readme),
    "Write it anew: deno run --allow-read --allow-write=README.md lib/checks/symptom_table.ts",
  );
});

Deno.test("the table of symptoms has a line for every failure, condition and label, each under one name", () => {
  const lines = [...symptoms("errors"), ...symptoms("no-errors")];
  const names = lines.map(({ name }) => name);
  assertEquals(names, [...Object.keys(FAILURES), ...Object.keys(CONDITIONS), ...Object.keys(LABELS)]);
  assertEquals(new Set(names).size, names.length);
  for (const line of lines) {
    for (const text of Object.values(line)) assert(text !== "" && !/[.|]$/.test(text), JSON.stringify(line));
  }
});

Deno.test("withSymptomTable refuses a text without a place for the table", () => {
  assertThrows(() => withSymptomTable("# connlab"), Error, "no marks");
});
