import { assertEquals, assertGreater } from "@std/assert";
import { until } from "../../lib/testing/mod.ts";
import { LoopDelay } from "./loop_delay.ts";

Deno.test("LoopDelay tells the largest delay of the last window and of this one", () => {
  const delay = new LoopDelay(0);
  delay.tick(50);
  assertEquals(delay.largestMs(60), 0);
  delay.tick(170);
  assertEquals(delay.largestMs(170), 70);
  delay.tick(221);
  assertEquals(delay.largestMs(221), 70);
  for (let nowMs = 271; nowMs < 2000; nowMs += 50) delay.tick(nowMs);
  assertEquals(delay.largestMs(1999), 70);
  delay.tick(2000);
  assertEquals(delay.largestMs(2000), 0);
});

Deno.test("LoopDelay counts a delay that still lasts, and one that was longer than a window", () => {
  const delay = new LoopDelay(0);
  assertEquals(delay.largestMs(5050), 5000);
  delay.tick(5050);
  assertEquals(delay.largestMs(5051), 5000);
  delay.tick(5100);
  assertEquals([delay.largestMs(6999), delay.largestMs(7100)], [5000, 1950]);
});

Deno.test("LoopDelay sees that the loop of its thread is blocked", async () => {
  const delay = LoopDelay.watch();
  const blockedMs = 120;
  for (const startMs = performance.now(); performance.now() < startMs + blockedMs;);
  assertGreater(await until(() => delay.largestMs(performance.now())), 0);
});
