import { assertEquals, assertMatch } from "@std/assert";
import { column, ColumnTable, type Row } from "../../record/mod.ts";
import { randomSource } from "../../stats/mod.ts";
import { armsOf, newAgainstShared } from "./arms.ts";

const random = randomSource(1);

/** Arms of rounds that have a number, a variant and a time each, and what else differs. */
function arms(
  rounds: readonly (readonly [round: number, variant: string, elapsedMs: number, other?: Row])[],
) {
  const table = new ColumnTable("rounds", {
    ...{ variant: column.text("v"), round: column.count("r"), requests: column.count("n") },
    ...{ failed: column.count("f"), elapsedMs: column.ms("t") },
    ...{ connections: column.count("c"), connectionsReason: column.text("w") },
  });
  for (const [round, variant, elapsedMs, other] of rounds) {
    const connections = variant.endsWith("/new") ? 10 : 1;
    table.add({ variant, round, elapsedMs, requests: 10, failed: 0, connections, ...other });
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

const UNSHARED: readonly [what: string, other: Row, reason: RegExp][] = [
  [
    "had several connections",
    { connections: 4 },
    /^Not compared: raw\/shared did not share .*: round 2 had 4 for 10/,
  ],
  [
    "had connections that nobody counted",
    { connections: null, connectionsReason: "At least 3: nobody saw" },
    /^Not compared: raw\/shared is not known to have shared .*, round 2: At least 3: nobody saw$/,
  ],
  ["had none", { connections: 0 }, /is not known to have shared/],
  ["made one request", { requests: 1 }, /one request a round shares its connection with none/],
];

for (const [what, other, reason] of UNSHARED) {
  Deno.test(`newAgainstShared() compares nothing with an arm that ${what}, in one round only too`, () => {
    const made = arms([[1, "raw/new", 60], [1, "raw/shared", 20], [2, "raw/new", 60], [
      2,
      "raw/shared",
      20,
      other,
    ]]);
    const metrics = newAgainstShared("raw", { arms: made, random });
    assertEquals(metrics.map(({ name, value }) => [name, value]), [
      ["elapsedRatio", null],
      ["addedPerRequestMs", null],
    ]);
    for (const metric of metrics) assertMatch(metric.reason!, reason);
  });
}
