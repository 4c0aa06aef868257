import { assertThrows } from "@std/assert";
import { MisuseError } from "../../record/mod.ts";
import { requireFewProcesses } from "./shards.ts";

Deno.test("more processes than processors start in time are refused with the most shards that go", () => {
  requireFewProcesses(16, 64, 2);
  requireFewProcesses(1, 100, 1);
  assertThrows(() => requireFewProcesses(64, 256, 2), MisuseError, "256 processes, servers included");
  assertThrows(() => requireFewProcesses(64, 256, 2), MisuseError, "give --shards 16 or fewer");
});
