import { assertEquals } from "@std/assert";
import { isAtLimit, limitsOf, pausesAround } from "./pauses.ts";

const LIMITS = { serverIdle: 5000, clientIdle: 30_000, middleboxIdle: 2000, safeClientIdle: 1000 };

Deno.test("pausesAround() gives pauses on both sides of every limit that is short enough, none at a limit", () => {
  const pauses = pausesAround(LIMITS, 10_000);
  for (const limitMs of [2000, 5000, 6000]) {
    assertEquals(pauses.some((pauseMs) => pauseMs < limitMs && pauseMs >= 0.8 * limitMs), true);
    assertEquals(pauses.some((pauseMs) => pauseMs > limitMs && pauseMs <= 1.25 * limitMs), true);
  }
  assertEquals(pauses.filter((pauseMs) => isAtLimit(pauseMs, limitsOf(LIMITS))), []);
  assertEquals(pauses, [...pauses].sort((one, other) => one - other));
  assertEquals([pauses[0], pauses.at(-1)], [500, 10_000]);
});

Deno.test("pausesAround() leaves out limits that are not there, and pauses that are too long", () => {
  assertEquals(
    pausesAround({ serverIdle: null, clientIdle: 1000, middleboxIdle: null, safeClientIdle: null }, 1200),
    [500, 800, 900, 1100],
  );
  assertEquals(pausesAround(LIMITS, 400), []);
});
