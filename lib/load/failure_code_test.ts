import { assert, assertEquals } from "@std/assert";
import { failure, type FailureName, FAILURES, type Phase } from "../record/mod.ts";
import { failureCode, failureOf } from "./failure_code.ts";

Deno.test("failureCode: each failure has a byte of its own, which is told back", () => {
  const phases: readonly Phase[] = ["client", "dns", "connect", "tls", "send", "wait", "receive"];
  const kinds = Object.keys(FAILURES) as FailureName[];
  const codes = new Set<number>();
  for (const phase of phases) {
    for (const kind of kinds) {
      const code = failureCode(phase, kind);
      assert(code >= 1 && code <= 255, `${phase} ${kind}: ${code}`);
      assertEquals(failureOf(code), failure(phase, kind));
      codes.add(code);
    }
  }
  assertEquals(codes.size, phases.length * kinds.length);
});
