import { assertEquals } from "@std/assert";
import { column, ColumnTable } from "../../record/mod.ts";
import { randomSource } from "../../stats/mod.ts";
import { armsOf, newAgainstShared } from "./arms.ts";

const random = randomSource(1);

/** Arms of rounds that have a number, a variant and a time each. */
function arms(rounds: readonly (readonly [round: number, variant: string, elapsedMs: number])[]) {
  const table = new ColumnTable("rounds", {
    ...{ variant: column.text("v"), round: column.count("r"), requests: column.count("n") },
    ...{ failed: column.count("f"), elapsedMs: column.ms("t") },
  });
  for (const [round, variant, elapsedMs] of rounds) {
    table.add({ variant, round, elapsedMs, requests: 10, failed: 0 });
  }
  const requests = { variant: column.text("v"), status: column.count("s") };
  return armsOf(table, new ColumnTable("requests", requests));
}

Deno.test("newAgainstShared() compares rounds of both arms, whatever order they were recorded in", () => {
  const made = arms([[2, "raw/shared", 10], [1, "raw/new", 60], [2, "raw/new", 20], [1, "raw/shared", 20]]);
  const values = newAgainstShared("raw", { arms: made, random }).map(({ name, value }) => [name, value]);
  // 80 to 30, and (40 + 10) ms for twice 10 requests.
  assertEquals(values, [["elapsedRatio", 80 / 30], ["addedPerRequestMs", 2.5]]);
});

Deno.test("newAgainstShared() leaves out a round that an interrupted run has of one arm alone", () => {
  const made = arms([[1, "raw/new", 60], [1, "raw/shared", 20], [2, "raw/new", 900]]);
  assertEquals(newAgainstShared("raw", { arms: made, random })[0]!.value, 3);
  const alone = arms([[1, "raw/new", 60], [2, "raw/shared", 20]]);
  assertEquals(newAgainstShared("raw", { arms: alone, random }).map(({ reason }) => reason), [
    "Not compared: there is no round of both",
    "Not compared: there is no round of both",
  ]);
});

Deno.test("newAgainstShared() has nothing to say where one of the two is not there", () => {
  assertEquals(newAgainstShared("raw", { arms: arms([[1, "raw/new", 60]]), random }), []);
});
