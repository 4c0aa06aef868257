import { assert, assertEquals } from "@std/assert";
import { startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";
import { busyShare, parseProcessorTimes } from "./processor_time.ts";

const STAT = `cpu  30 3 3 300 30 3 3 6 9 0
cpu0 10 1 1 100 10 1 1 2 3 0
cpu1 20 2 2 200 20 2 2 4 6 0
intr 500 1 2
ctxt 9
`;

Deno.test("times are told by processor, in milliseconds, a guest's within its user's", () => {
  assertEquals(parseProcessorTimes(STAT), [
    { busyMs: 140, idleMs: 1100, stolenMs: 20 },
    { busyMs: 280, idleMs: 2200, stolenMs: 40 },
  ]);
  assertEquals(parseProcessorTimes("cpu0 1 2 3 4\n"), [{ busyMs: 60, idleMs: 40, stolenMs: 0 }]);
});

Deno.test("processors are busy by what they did between two readings", () => {
  const times = parseProcessorTimes(STAT);
  assertEquals(busyShare(times, times), null);
  const later = times.map(({ busyMs, idleMs, stolenMs }) => ({
    busyMs: busyMs + 30,
    idleMs: idleMs + 60,
    stolenMs: stolenMs + 10,
  }));
  assertEquals(busyShare(times, later), 0.4);
});

if (Deno.build.os === "linux") {
  Deno.test("a thread, and a process with all its threads, are kept to one processor", async () => {
    await using child = startChild("_pinned_child.ts", [`--allow-ffi=${libcPath()}`]);
    const { first, last, thread, threads, refused } = await child.next() as Record<string, unknown>;
    assertEquals(thread, [first]);
    assert(Array.isArray(threads) && threads.length > 1, `${threads}`);
    assertEquals(new Set(threads), new Set([`${last}`]));
    assertEquals(refused, [false, false, false, false]);
  });
}
