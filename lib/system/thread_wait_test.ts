import { assert, assertEquals } from "@std/assert";
import { parseThreadWaitMs, threadWaitMs } from "./thread_wait.ts";

Deno.test("parseThreadWaitMs: the second number, in milliseconds", () => {
  assertEquals(parseThreadWaitMs("1020510891 16262909 56\n"), 16.262909);
  assertEquals(parseThreadWaitMs("0 0 1\n"), 0);
  assertEquals(parseThreadWaitMs(""), null);
  assertEquals(parseThreadWaitMs("1 2\n"), null);
});

if (Deno.build.os === "linux") {
  Deno.test("threadWaitMs: never falls", () => {
    const beforeMs = threadWaitMs();
    const afterMs = threadWaitMs();
    if (beforeMs === null) assertEquals(afterMs, null);
    else assert(afterMs! >= beforeMs && beforeMs >= 0);
  });
}
