import { assertEquals, assertThrows } from "@std/assert";
import { startChild } from "./_child.ts";
import { listKernelFolder } from "./kernel_folder.ts";
import { libcPath } from "./libc_path.ts";
import { readKernelFile } from "./proc.ts";
import { descendantsOf, isAlive, parseProcessState, sendSignal, sendSignalToGroup } from "./process.ts";

/** Beyond the greatest id of Linux (2^22) and of macOS. */
const ABSENT = 2 ** 30;

Deno.test("the state of a process follows the last parenthesis", () => {
  assertEquals(parseProcessState("9949 (deno) R 9946 9946 5053 0 -1 4194304 14784"), "R");
  assertEquals(parseProcessState("12 (a) Z (b c) S 1 12 12 0 -1"), "S");
  assertEquals(parseProcessState("12 (deno) Z 1 12 12 0 -1"), "Z");
});

Deno.test("an id that names a group is refused", () => {
  for (const pid of [0, -1, 1.5, NaN]) {
    assertThrows(() => isAlive(pid), RangeError, `current value is ${pid}`);
    assertThrows(() => sendSignal(pid, "SIGKILL"), RangeError, `current value is ${pid}`);
  }
});

Deno.test("no signal goes to every process, or to the group of this one", () => {
  for (const pid of [1, 0, -1, 1.5, NaN]) {
    assertThrows(
      () => sendSignalToGroup(pid, "SIGKILL"),
      RangeError,
      "Cannot send SIGKILL to group of process",
    );
  }
});

if (Deno.build.os !== "windows") {
  Deno.test("a process lives until it is killed", async () => {
    await using child = startChild("_lifeline_child.ts");
    const { pid } = child.process;
    assertEquals(await child.next(), { ready: true });
    assertEquals(isAlive(pid), true);
    assertEquals(sendSignal(pid, "SIGKILL"), true);
    assertEquals((await child.process.status).signal, "SIGKILL");
    assertEquals(isAlive(pid), false);
    assertEquals(sendSignal(pid, "SIGKILL"), false);
  });

  Deno.test("no process is told of and reached by an id that is not in use", () => {
    assertEquals(isAlive(ABSENT), false);
    assertEquals(sendSignal(ABSENT, "SIGTERM"), false);
    assertEquals(isAlive(Deno.pid), true);
  });
}

if (Deno.build.os === "linux") {
  Deno.test("a zombie does not live", async () => {
    await using child = startChild("_lifeline_child.ts");
    const { pid } = child.process;
    assertEquals(await child.next(), { ready: true });
    assertEquals(sendSignal(pid, "SIGKILL"), true);
    // Nothing can ask for the child's end while this loop holds the event loop.
    const end = performance.now() + 10_000;
    while (isAlive(pid) && performance.now() < end);
    assertEquals(parseProcessState(readKernelFile(`/proc/${pid}/stat`)), "Z");
    assertEquals(isAlive(pid), false);
  });

  Deno.test("what a process leaves behind stays below who adopts it, and ends with its group", async () => {
    await using child = startChild("_adopting_child.ts", [
      `--allow-ffi=${libcPath()}`,
      "--allow-run=unshare",
    ]);
    assertEquals(await child.next(), { isAdopting: true, orphans: 2, isSent: true, isSentAgain: false });
  });

  Deno.test("the processes below one are those of all its threads", async () => {
    await using child = startChild("_lifeline_child.ts");
    assertEquals(await child.next(), { ready: true });
    assertEquals(descendantsOf(Deno.pid).includes(child.process.pid), true);
    assertEquals(descendantsOf(child.process.pid), []);
    assertEquals(descendantsOf(ABSENT), []);
  });

  Deno.test("a folder of the kernel is listed whole, and one that is not there is told", () => {
    const tasks = listKernelFolder("/proc/self/task");
    assertEquals(tasks.includes(`${Deno.pid}`), true);
    assertEquals(tasks.filter((name) => !/^\d+$/.test(name)), []);
    assertThrows(() => listKernelFolder(`/proc/${ABSENT}/task`), Deno.errors.NotFound, "cannot be opened");
    assertThrows(() => listKernelFolder("/proc/self/stat"), Deno.errors.NotFound);
  });
}
