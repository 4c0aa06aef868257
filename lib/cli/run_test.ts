import { assertEquals } from "@std/assert";
import { RUN_OPTIONS } from "../experiments/mod.ts";
import { command } from "./run.ts";

Deno.test("no parameter may take the name of an option of lab run", async () => {
  const help = await command.help([]);
  assertEquals([...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name), [...RUN_OPTIONS]);
});
