import { assertEquals } from "@std/assert";
import { after } from "./after.ts";

/** Runs `work` with timers that fire at once, in the order in which they are set; the delays that were set. */
function withTimers(work: () => void): number[] {
  const original = globalThis.setTimeout;
  const delays: number[] = [];
  globalThis.setTimeout = ((act: () => void, delayMs: number) => {
    delays.push(delayMs);
    act();
    return 0;
  }) as unknown as typeof setTimeout;
  try {
    work();
  } finally {
    globalThis.setTimeout = original;
  }
  return delays;
}

const LONGEST_MS = 2 ** 31 - 1;

for (
  const [delayMs, delays] of [
    [0, [0]],
    [LONGEST_MS, [LONGEST_MS]],
    [LONGEST_MS + 1, [LONGEST_MS, 1]],
    [2.5 * LONGEST_MS, [LONGEST_MS, LONGEST_MS, LONGEST_MS / 2]],
  ] as const
) {
  Deno.test(`after() waits ${delayMs} ms in as many timers as it takes, and acts once`, () => {
    let acted = 0;
    assertEquals(withTimers(() => after(delayMs, () => acted++)), [...delays]);
    assertEquals(acted, 1);
  });
}

Deno.test("after() that is called off does not act", async () => {
  let acted = 0;
  const off = after(0, () => acted++);
  off[Symbol.dispose]();
  await new Promise<void>((wake) => after(1, wake));
  assertEquals(acted, 0);
});
