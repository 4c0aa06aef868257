import { assertEquals, assertThrows } from "@std/assert";
import { column, flag, integer } from "../record/mod.ts";
import { defineExperiment } from "./contract.ts";
import { describeExperiment } from "./describe_experiment.ts";
import { findProblem, RUN_OPTIONS } from "./find_problem.ts";

const GOOD = {
  id: "a-b",
  version: 1,
  title: "A title",
  question: "A question?",
  params: {},
  tables: { rows: { n: column.count("n") } },
  figures: {},
  budgetMs: () => 1,
  measure: () => Promise.resolve(),
  summarize: () => [],
};

const ONE_TO_NINE = integer({ min: 1, max: 9, default: 5, help: "" });
const SWITCH = flag({ default: false, help: "" });

Deno.test("findProblem() finds none in an experiment, and says what is wrong with everything else", () => {
  const params = { noDelay: SWITCH, watchTimeWait: SWITCH, n: ONE_TO_NINE };
  assertEquals(findProblem({ ...GOOD, params }), null);
  const cases: [change: Record<string, unknown>, problem: string][] = [
    [{ id: "A B" }, "its id must be in kebab case: current value is A B"],
    [{ version: 0 }, "its version must be a whole number >= 1: current value is 0"],
    [{ question: undefined }, "its question must be text"],
    [{ params: undefined }, "its params must be an object"],
    [{ figures: [] }, "its figures must be an object of functions"],
    [{ figures: { elapsed: null } }, "its figures must be an object of functions"],
    [{ budgetMs: 1000 }, "its budgetMs must be a function"],
    [{ servers: ["origin"] }, "its servers must be a function or left out"],
    [{ prepare: {} }, "its prepare must be a function or left out"],
    ...[{}, [5], [{ id: "A1", stated: "It is so" }], [{ id: 1, stated: "It is so", judge() {} }]].map((
      claims,
    ): [Record<string, unknown>, string] => [
      { claims },
      "its claims must be an array of what claim() makes, or left out",
    ]),
    [{ tables: {} }, "it has no table to record rows in"],
    [
      { tables: { napTimes: GOOD.tables.rows } },
      "the name of a table must be lower-case words, with - or _ between them: current value is napTimes",
    ],
    [{ tables: { rows: {} } }, "table rows must have columns, made by column.ms() and its like"],
    ...["number", { type: "number" }, { ...column.ms("n"), unit: "s" }, { ...column.ms("n"), type: "float" }]
      .map((n): [Record<string, unknown>, string] => [
        { tables: { rows: { n } } },
        "table rows must have columns, made by column.ms() and its like",
      ]),
    [{ tables: { rows: null } }, "table rows must have columns, made by column.ms() and its like"],
    [
      { params: { "body-bytes": ONE_TO_NINE } },
      "the name of a parameter must be in camel case: current value is body-bytes",
    ],
    [
      { params: { valueOf: ONE_TO_NINE } },
      "parameter valueOf needs another name: every object has one of that",
    ],
    [{ params: { n: 5 } }, "parameter n must be made by integer() or another builder"],
    [
      { params: { seed: ONE_TO_NINE } },
      "parameter seed needs another name: --seed is taken on the command line",
    ],
    [
      { params: { dryRun: SWITCH } },
      "parameter dryRun needs another name: --dry-run is taken on the command line",
    ],
    [
      { params: { delay: SWITCH, noDelay: SWITCH } },
      "parameter noDelay needs another name: --no-delay is taken on the command line",
    ],
    [
      { params: { n: { ...ONE_TO_NINE, default: 0 } } },
      "n must be >= 1: its preset value is 0",
    ],
    [{ params: { n: { ...ONE_TO_NINE, quick: 10 } } }, "n must be <= 9: its preset value is 10"],
  ];
  for (const [change, problem] of cases) assertEquals(findProblem({ ...GOOD, ...change }), problem);
  for (const value of [undefined, null, "text", [], () => GOOD]) {
    assertEquals(findProblem(value), "it is no object");
  }
});

Deno.test("defineExperiment() gives back what it was given, and throws with what is wrong", () => {
  assertEquals(defineExperiment(GOOD), GOOD);
  assertThrows(
    () => defineExperiment({ ...GOOD, tables: {} }),
    TypeError,
    "Cannot define experiment a-b as it has no table",
  );
});

Deno.test("an experiment is described as JSON, with presets in the form in which they are recorded", async () => {
  const description = await describeExperiment("handshake-cost");
  assertEquals(JSON.parse(JSON.stringify(description)), description);
  assertEquals([description.id, description.params.map(({ name }) => name)], [
    "handshake-cost",
    ["requests", "rounds", "client", "stack", "bodyBytes", "watchTimeWait", "target"],
  ]);
  const [requests] = description.params;
  assertEquals([requests?.kind, requests?.default, requests?.quick], ["integer", 500, 100]);
  assertEquals(description.params.some(({ name }) => RUN_OPTIONS.includes(name)), false);
});
