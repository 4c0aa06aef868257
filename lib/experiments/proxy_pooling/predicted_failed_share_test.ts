import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { predictedFailedShare, type ShortageOptions } from "./predicted_failed_share.ts";

/** Takes and gives back port by port. */
function simulate({ ports, timeWaitMs, ratePerSecond, durationMs }: ShortageOptions): number {
  const tried = Math.round(ratePerSecond * durationMs / 1000);
  const freeMs = new Array<number>(ports).fill(0);
  let failed = 0;
  for (let place = 0; place < tried; place++) {
    const nowMs = place * 1000 / ratePerSecond;
    const port = freeMs.findIndex((atMs) => atMs <= nowMs + 1e-6);
    if (port < 0) failed++;
    else freeMs[port] = nowMs + timeWaitMs;
  }
  return failed / tried;
}

Deno.test("predictedFailedShare() is what taking and giving back port by port comes to", () => {
  for (const ports of [10, 60]) {
    for (const ratePerSecond of [20, 50, 200]) {
      for (const durationMs of [100, 900, 1000, 1500, 4700]) {
        const options = { ports, ratePerSecond, durationMs, timeWaitMs: 1000 };
        const tried = ratePerSecond * durationMs / 1000;
        assertAlmostEquals(
          predictedFailedShare(options),
          simulate(options),
          1.5 / tried,
          JSON.stringify(options),
        );
      }
    }
  }
});

Deno.test("predictedFailedShare() is none while ports come back as fast as they are taken", () => {
  const options = { ports: 1000, timeWaitMs: 1000, durationMs: 1e6 };
  assertEquals(predictedFailedShare({ ...options, ratePerSecond: 1000 }), 0);
  assert(predictedFailedShare({ ...options, ratePerSecond: 1001 }) > 0);
});
