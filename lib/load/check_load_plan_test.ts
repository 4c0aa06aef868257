import { assertThrows } from "@std/assert";
import { PLAN } from "./_made_report.ts";
import { checkLoadPlan } from "./check_load_plan.ts";
import type { LoadPlan } from "./plan.ts";

const TARGETS = [{ address: "127.0.0.1", port: 80, hostname: "127.0.0.1", path: "/" }];

function openAt(ratePerSecond: number): Partial<LoadPlan> {
  return { arrivals: { loop: "open", ratePerSecond, spacing: "constant" } };
}

Deno.test("checkLoadPlan: what no engine can do is refused with its value", () => {
  checkLoadPlan(PLAN, TARGETS);
  checkLoadPlan({ ...PLAN, ...openAt(0.5), requests: 1, timeoutMs: 0.5 }, TARGETS);
  for (
    const [message, change] of [
      ["ratePerSecond must be > 0: current value is 0", openAt(0)],
      ["ratePerSecond must be > 0: current value is -5", openAt(-5)],
      ["ratePerSecond must be > 0: current value is NaN", openAt(NaN)],
      ["durationMs must be > 0: current value is 0", { durationMs: 0 }],
      ["connections must be an integer >= 1: current value is 0", { connections: 0 }],
      ["connections must be >= threads: current value is 10 for 11", { threads: 11 }],
      ["threads must be an integer >= 1: current value is 1.5", { threads: 1.5 }],
      ["requests must be an integer >= 1: current value is 0", { requests: 0 }],
      ["timeoutMs must be > 0: current value is 0", { timeoutMs: 0 }],
    ] as const
  ) {
    assertThrows(() => checkLoadPlan({ ...PLAN, ...change }, TARGETS), RangeError, message);
  }
  assertThrows(() => checkLoadPlan(PLAN, []), RangeError, "no target");
});
