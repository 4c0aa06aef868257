import { assertEquals } from "@std/assert";
import { claim, judge, type Judgement } from "./claim.ts";
import type { RunView } from "./run.ts";

const RUN = {} as RunView;

function verdictOn(judgement: Judgement): unknown[] {
  const verdicts = judge([claim("A1", "It is so", () => judgement)], RUN);
  return verdicts.flatMap(({ verdict, measured, reason }) => [verdict, measured, reason]);
}

Deno.test("judge() passes a judgement on with the claim's id and text", () => {
  const judgement: Judgement = { verdict: "differs", measured: 2, unit: "1", reason: "it is 2" };
  assertEquals(judge([claim("A1", "It is 1", () => judgement)], RUN), [
    { id: "A1", stated: "It is 1", ...judgement },
  ]);
  for (const verdict of ["differs", "not applicable here", "not measured"] as const) {
    assertEquals(verdictOn({ verdict, measured: null, unit: null, reason: "why" }), [verdict, null, "why"]);
  }
});

for (const measured of [null, undefined as unknown as null, NaN, Infinity, -Infinity]) {
  Deno.test(`judge() takes no rule for evidence that holds with ${measured}`, () => {
    assertEquals(verdictOn({ verdict: "holds", measured, unit: "1", reason: null }), [
      "not measured",
      null,
      `The rule says "holds" of the number ${measured}`,
    ]);
  });
}

Deno.test("judge() takes no number that is not finite, whatever the verdict", () => {
  assertEquals(
    verdictOn({ verdict: "differs", measured: NaN, unit: "1", reason: "it is not 1" })[0],
    "not measured",
  );
});

for (
  const [answer, reason] of [
    [undefined, "The rule gave no judgement: it gave undefined"],
    ["holds", "The rule gave no judgement: it gave holds"],
    [Promise.resolve(), "The rule gave no judgement: it gave a promise"],
    [{ verdict: "true", measured: 1, unit: "1", reason: null }, "The rule gave no verdict: it gave true"],
    [
      { verdict: "holds", measured: 1, unit: "s", reason: null },
      "The unit must be ms, By, 1, 1/s or null: the rule gave s",
    ],
    [
      { verdict: "holds", measured: 1, unit: "1" },
      "The reason must be text or null: the rule gave undefined",
    ],
  ] as const
) {
  Deno.test(`judge() takes ${JSON.stringify(answer) ?? "nothing"} for no evidence`, () => {
    const [verdict] = judge([claim("A1", "It is so", () => answer as unknown as Judgement)], RUN);
    assertEquals([verdict?.verdict, verdict?.measured, verdict?.reason], ["not measured", null, reason]);
  });
}

Deno.test("judge() takes a rule that throws for no evidence", () => {
  const broken = claim("A1", "It is so", () => {
    throw new RangeError("There is no table");
  });
  assertEquals(judge([broken], RUN)[0]?.reason, "The rule failed: There is no table");
});
