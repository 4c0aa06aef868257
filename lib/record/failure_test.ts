import { assertEquals } from "@std/assert";
import { failure, type FailureName, FAILURES, type Side } from "./failure.ts";

const KINDS = Object.keys(FAILURES) as FailureName[];

Deno.test("failure() takes the side from the list", () => {
  for (const kind of KINDS) {
    assertEquals(failure("wait", kind), { phase: "wait", kind, side: FAILURES[kind].side });
  }
});

Deno.test("failure() takes any side that is known better, for every kind", () => {
  for (const kind of KINDS) {
    for (const side of ["client", "server", "network", "unknown"] satisfies Side[]) {
      assertEquals(failure("connect", kind, { side }), { phase: "connect", kind, side });
    }
  }
});
