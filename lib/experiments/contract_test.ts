import { assertEquals } from "@std/assert";
import { choice, claim, column, duration, type ParamsOf, type RunView } from "../record/mod.ts";
import { defineExperiment } from "./contract.ts";

const params = {
  lifetime: duration({ default: "2.5s", help: "lifetime" }),
  client: choice(["raw", "fetch"], { default: "raw", help: "client" }),
};

const experiment = defineExperiment({
  id: "waits",
  version: 1,
  title: "Waits",
  question: "How long?",
  params,
  tables: { waits: { waitMs: column.ms("time to wait") } },
  budgetMs: ({ lifetime }) => lifetime,
  measure: () => Promise.resolve(),
  summarize: () => [],
  figures: {
    waits(run) {
      // Assigned, so that the type check fails when a parameter loses its type on the way to a figure.
      const seconds: number = run.values.lifetime / 1000;
      const client: "raw" | "fetch" = run.values.client;
      return { data: [], layout: { title: `${client} ${seconds}` } };
    },
  },
  claims: [
    claim("W1", "A connection lives for 2500 ms", (run: RunView<ParamsOf<typeof params>>) => {
      const measured: number = run.values.lifetime;
      return { verdict: "holds", measured, unit: "ms", reason: null };
    }),
  ],
});

Deno.test("figures and claims see the parameters with their types: a duration is a number of milliseconds", () => {
  const run: RunView = {
    ...{
      id: "waits/x",
      status: "complete",
      params: { lifetime: "2500ms", client: "raw" },
      seed: 1,
      tables: {},
    },
    ...{ summary: [], claims: [], warnings: [], environment: null, value: () => null },
    values: { lifetime: 2500, client: "raw" },
  };
  assertEquals(experiment.figures.waits!(run).layout.title, "raw 2.5");
  assertEquals(experiment.claims![0]!.judge(run).measured, 2500);
});
