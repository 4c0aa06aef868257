import { assertEquals } from "@std/assert";
import { RUN_OPTIONS } from "../experiments/mod.ts";
import { command } from "./run.ts";
import { exitStatus } from "./run_experiment.ts";

Deno.test("no parameter may take the name of an option of lab run", async () => {
  const help = await command.help([]);
  assertEquals([...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name), [...RUN_OPTIONS]);
});

Deno.test("a run that was complete before it could be interrupted is complete", () => {
  const statuses = ["complete", "incomplete", "failed"] as const;
  assertEquals(statuses.map((status) => exitStatus(status, false)), [0, 1, 1]);
  assertEquals(statuses.map((status) => exitStatus(status, true)), [0, 130, 1]);
});
