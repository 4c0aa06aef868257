import { assert, assertEquals, assertGreater, assertThrows } from "@std/assert";
import { startChild } from "./_child.ts";
import { isAlive, sendSignal } from "./process.ts";
import { parseProcessorMs, parseResidentBytes, readProcessUse } from "./process_use.ts";

Deno.test("processor time is a process's own and that of those that it waited for, after the last parenthesis", () => {
  const stat = "12 (a) R (b c) S 1 12 12 0 -1 4194304 103 0 0 0 5 2 30 4 20 0 1 0 2230228 3133440 418";
  assertEquals(parseProcessorMs(stat), 410);
});

Deno.test("memory is what is in RAM, none for a process that has ended", () => {
  assertEquals(
    parseResidentBytes("Name:\tdeno\nVmPeak:\t  900 kB\nVmRSS:\t   84 kB\nRssAnon:\t 12 kB\n"),
    84 * 1024,
  );
  assertEquals(parseResidentBytes("Name:\tdeno\nState:\tZ (zombie)\n"), 0);
});

if (Deno.build.os === "linux") {
  Deno.test("a process counts with those below it", async () => {
    const alone = readProcessUse(Deno.pid)!;
    await using child = startChild("_lifeline_child.ts");
    assertEquals(await child.next(), { ready: true });
    const { pid } = child.process;
    const [both, below] = [readProcessUse(Deno.pid)!, readProcessUse(pid)!];
    assertEquals([both.processes - alone.processes, below.processes], [1, 1]);
    assertGreater(below.residentBytes, 1024 * 1024);
    assertGreater(both.residentBytes, below.residentBytes);
    assert(both.processorMs >= alone.processorMs + below.processorMs, JSON.stringify({ both, alone, below }));
  });

  Deno.test("a process that is gone takes nothing, nor does one that nobody has waited for", async () => {
    assertEquals(readProcessUse(2 ** 30), null);
    await using child = startChild("_lifeline_child.ts");
    const { pid } = child.process;
    assertEquals(await child.next(), { ready: true });
    sendSignal(pid, "SIGKILL");
    // Nothing can ask for the child's end while this loop holds the event loop.
    const end = performance.now() + 10_000;
    while (isAlive(pid) && performance.now() < end);
    assertEquals(readProcessUse(pid), null);
    assertThrows(() => readProcessUse(0), RangeError, "must be an integer >= 1");
  });
}
