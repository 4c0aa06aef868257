import { assertEquals } from "@std/assert";
import { type Child, startChild } from "./_child.ts";
import { libcPath } from "./libc_path.ts";

const ENDS: Readonly<Record<string, (child: Child) => Promise<void> | void>> = {
  "its parent lets go": (child) => child.end(),
  "SIGTERM comes": (child) => child.process.kill("SIGTERM"),
};

/** Starts the child, gets it to do something, and ends it; how it ended. */
async function ending(
  rights: readonly string[],
  manner: string,
  end: (child: Child) => Promise<void> | void,
): Promise<Deno.CommandStatus> {
  await using child = startChild("_end_in_time_child.ts", rights);
  assertEquals(await child.next(), { ready: true });
  await child.write(`${manner}\n`);
  assertEquals(await child.next(), { manner });
  await end(child);
  return await child.process.status;
}

const path = libcPath();
if (path !== null) {
  const folder = new URL(".", import.meta.url).pathname;
  for (const manner of ["busy", "deaf"]) {
    for (const [what, end] of Object.entries(ENDS)) {
      Deno.test(`a process that is ${manner} ends in time when ${what}`, async () => {
        const status = await ending([`--allow-ffi=${path}`, `--allow-read=${folder}`], manner, end);
        assertEquals([status.signal, status.success], ["SIGKILL", false]);
      });
    }
  }
}

Deno.test("a process without the C library ends in time when it comes back to its events", async () => {
  const { code, signal } = await ending([], "deaf", (child) => child.end());
  assertEquals([code, signal], [1, null]);
});

Deno.test("a process ends in time also when it is told to before its thread sleeps", async () => {
  if (path === null) return;
  const folder = new URL(".", import.meta.url).pathname;
  await using child = startChild("_end_in_time_child.ts", [`--allow-ffi=${path}`, `--allow-read=${folder}`]);
  await child.end();
  assertEquals((await child.process.status).signal, "SIGKILL");
});
