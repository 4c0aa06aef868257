import { assertEquals } from "@std/assert";
import { checkingIntervalMs } from "./brakes.ts";

Deno.test("the checking interval is a tenth of the shorter timeout, within bounds", () => {
  for (
    const [headerTimeoutMs, requestTimeoutMs, interval] of [
      [null, null, null],
      [3000, null, 300],
      [null, 5000, 500],
      [3000, 2000, 200],
      [50, null, 10],
      [60_000, 300_000, 1000],
    ] as const
  ) {
    assertEquals(checkingIntervalMs({ headerTimeoutMs, requestTimeoutMs }), interval);
  }
});
