import { assertEquals } from "@std/assert";
import { TemporaryFolder } from "../testing/mod.ts";
import { cycles, violations } from "./import_graph.ts";
import { HOUSE } from "./house.ts";
import { readImports } from "./imports.ts";

/** A small house without a violation. */
const SOUND: Readonly<Record<string, string>> = {
  "deno.json": `{ "imports": { "@std/assert": "./lib/std/assert/mod.ts" } }`,
  "lib/std/assert/mod.ts": `export const yes = true;`,
  "lib/record/mod.ts": `export * from "./claim.ts";\nexport * from "./run.ts";`,
  "lib/record/claim.ts": `import type { Run } from "./run.ts";\nexport type Claim = (run: Run) => boolean;`,
  "lib/record/run.ts":
    `import type { Claim } from "./claim.ts";\nexport interface Run { claims: Claim[] }\nexport const none = 0;`,
  "lib/record/run_test.ts":
    `import "@std/assert";\nimport "./run.ts";\nimport "../harness/mod.ts";\nimport "./fixtures/a.ts";`,
  "lib/record/fixtures/a.ts": `import "../../store/mod.ts";`,
  "lib/store/mod.ts": `export * from "./_disk.ts";`,
  "lib/system/mod.ts": `import "../record/mod.ts";`,
  "lib/system/a_test.ts": `import "../testing/mod.ts";`,
  "lib/testing/mod.ts": `import "../system/mod.ts";`,
  "lib/store/deep/mod.ts": `export const deep = true;`,
  "lib/store/_disk.ts": `export { none } from "../record/mod.ts";`,
  "lib/harness/mod.ts":
    `export * from "../store/mod.ts";\nnew URL("../../servers/origin.ts", import.meta.url);`,
  "lib/checks/bench.ts": `import "../store/_disk.ts";\nimport "../../servers/origin.ts";`,
  "servers/origin.ts": `import "../lib/record/mod.ts";\nimport "./_handler.ts";`,
  "servers/_handler.ts": `export {};`,
};

/** What the check says of the small house with these files added or replaced. */
async function judge(changes: Readonly<Record<string, string>>): Promise<string[]> {
  using root = new TemporaryFolder();
  for (const [path, text] of Object.entries({ ...SOUND, ...changes })) {
    await Deno.mkdir(`${root.path}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${root.path}/${path}`, text);
  }
  return violations(await readImports(root.path, ["lib", "servers"]));
}

/** Each kind of violation: the files that make it, and all that the check says. */
const VIOLATIONS: Readonly<Record<string, readonly [Record<string, string>, readonly string[]]>> = {
  "an arrow that is not in the house": [
    { "lib/store/a.ts": `\nimport "../harness/mod.ts";` },
    [
      "lib/store/a.ts:2 imports lib/harness/mod.ts: no arrow leads from store to harness: there are record",
      "Folders in a cycle: harness → store → harness",
    ],
  ],
  "an arrow of a type": [
    { "lib/stats/mod.ts": `import type { Run } from "../record/mod.ts";\nexport type A = Run;` },
    ["lib/stats/mod.ts:1 imports lib/record/mod.ts: no arrow leads from stats to record: there are none"],
  ],
  "an arrow inside a type": [
    { "lib/stats/mod.ts": `export type A = import("../record/mod.ts").Run;` },
    ["lib/stats/mod.ts:1 imports lib/record/mod.ts: no arrow leads from stats to record: there are none"],
  ],
  "an arrow of a re-export": [
    { "lib/stats/mod.ts": `export { none } from "../record/mod.ts";` },
    ["lib/stats/mod.ts:1 imports lib/record/mod.ts: no arrow leads from stats to record: there are none"],
  ],
  "an arrow of a dynamic import": [
    { "lib/stats/mod.ts": `export const later = () => import("../record/mod.ts");` },
    ["lib/stats/mod.ts:1 imports lib/record/mod.ts: no arrow leads from stats to record: there are none"],
  ],
  "a folder that the house does not know": [
    { "lib/attic/mod.ts": `import "../record/mod.ts";` },
    ["lib/attic/mod.ts:1 imports lib/record/mod.ts: the folder attic has no place in lib/checks/house.ts"],
  ],
  "a way around the face": [
    { "lib/store/a.ts": `import "../record/run.ts";` },
    ["lib/store/a.ts:1 imports lib/record/run.ts: another folder is imported through its mod.ts only"],
  ],
  "a way around the face in a test": [
    { "lib/store/a_test.ts": `import "../record/run.ts";` },
    [
      "lib/store/a_test.ts:1 imports lib/record/run.ts: another folder is imported through its mod.ts only",
    ],
  ],
  "a private file of another folder": [
    { "lib/harness/a_test.ts": `import "../store/_disk.ts";` },
    ["lib/harness/a_test.ts:1 imports lib/store/_disk.ts: a private file stays in its folder"],
  ],
  "a private file of the folder above": [
    { "lib/store/deep/a.ts": `import "../_disk.ts";` },
    ["lib/store/deep/a.ts:1 imports lib/store/_disk.ts: a private file stays in its folder"],
  ],
  "a server imported by lib": [
    { "lib/harness/a.ts": `import "../../servers/origin.ts";` },
    [
      "lib/harness/a.ts:1 imports servers/origin.ts: lib never imports servers: it starts them as processes",
    ],
  ],
  "the workshop imported": [
    { "lib/cli/a.ts": `import "../checks/bench.ts";` },
    ["lib/cli/a.ts:1 imports lib/checks/bench.ts: nothing may import lib/checks"],
  ],
  "a test imported": [
    { "lib/store/a.ts": `import "./a_test.ts";`, "lib/store/a_test.ts": "" },
    ["lib/store/a.ts:1 imports lib/store/a_test.ts: a test or bench is imported by lib/checks only"],
  ],
  "a fixture imported": [
    { "lib/store/a.ts": `import "./fixtures/run.ts";`, "lib/store/fixtures/run.ts": "" },
    ["lib/store/a.ts:1 imports lib/store/fixtures/run.ts: a fixture is imported by tests only"],
  ],
  "what tests share imported by a program": [
    { "lib/store/a.ts": `import "../testing/mod.ts";` },
    ["lib/store/a.ts:1 imports lib/testing/mod.ts: lib/testing is imported by tests only"],
  ],
  "a package of lib/std by its path": [
    { "lib/store/a.ts": `import "../std/assert/mod.ts";` },
    ["lib/store/a.ts:1 imports lib/std/assert/mod.ts: lib/std is imported by its package names only"],
  ],
  "files in a cycle": [
    {
      "lib/store/a.ts": `import "./b.ts";`,
      "lib/store/b.ts": `import "./c.ts";`,
      "lib/store/c.ts": `export const later = () => import("./a.ts");`,
    },
    ["Files in a cycle: lib/store/a.ts → lib/store/b.ts → lib/store/c.ts → lib/store/a.ts"],
  ],
};

Deno.test("the check of imports passes a sound house", async () => {
  assertEquals(await judge({}), []);
});

for (const [kind, [changes, expected]] of Object.entries(VIOLATIONS)) {
  Deno.test(`the check of imports finds ${kind}`, async () => {
    assertEquals(await judge(changes), expected);
  });
}

Deno.test("the check of imports fails on a file that it cannot follow", async () => {
  for (const broken of [`import "./gone.ts";`, `import "`]) {
    const found = await judge({ "lib/store/a.ts": broken });
    assertEquals(found.length, 1, found.join("\n"));
  }
});

Deno.test("the house has no cycle, and arrows lead to rooms only", () => {
  const arrows = Object.entries(HOUSE).flatMap(([from, rooms]) => rooms.map((to) => [from, to] as const));
  assertEquals(cycles(arrows), []);
  assertEquals(arrows.filter(([, to]) => !(to in HOUSE)), []);
});

Deno.test("cycles() names each knot once", () => {
  assertEquals(cycles([["a", "b"], ["b", "c"], ["a", "c"]]), []);
  assertEquals(cycles([["a", "a"], ["b", "c"], ["c", "b"], ["d", "b"]]), [["a"], ["b", "c"]]);
});
