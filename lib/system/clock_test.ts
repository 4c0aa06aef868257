import { assert } from "@std/assert";
import { monotonicMs } from "./clock.ts";

Deno.test("monotonicMs: goes on as performance.now() does, and never back", () => {
  const outerStartMs = performance.now();
  const startMs = monotonicMs();
  const innerStartMs = performance.now();
  let lastMs = startMs;
  // Past the turn of a second, where the nanoseconds begin anew.
  while (performance.now() - innerStartMs < 1100) {
    const nowMs = monotonicMs();
    assert(nowMs >= lastMs);
    lastMs = nowMs;
  }
  const innerEndMs = performance.now();
  const elapsedMs = monotonicMs() - startMs;
  const outerEndMs = performance.now();
  // Both read one clock: what one measures lies between two readings of the other, to a microsecond of rounding.
  assert(elapsedMs > innerEndMs - innerStartMs - 0.001);
  assert(elapsedMs < outerEndMs - outerStartMs + 0.001);
});
