import { assertAlmostEquals, assertEquals } from "@std/assert";
import { randomSource } from "../../stats/mod.ts";
import { cellWith } from "./_testing.ts";
import { type Cost, costOf } from "./cost.ts";

function cost(cells: ReturnType<typeof cellWith>[], gapsMs: number[], clientIdleMs = 30_000): Cost {
  return costOf(cells, gapsMs, { random: randomSource(1), clientIdleMs });
}

const KEPT = cellWith({ pauseMs: 1000, elapsedMs: 1 });
const LOST = cellWith({ pauseMs: 3000, failureKind: "reset", received: 0 });
const ANEW = cellWith({ pauseMs: 9000, reused: false, elapsedMs: 5 });

Deno.test("costOf() gives each gap the fate of the nearest pause", () => {
  const { failuresPerMillion, addedMs } = cost([KEPT, LOST, ANEW], [
    500,
    1900,
    2100,
    5900,
    8000,
    20_000,
    9000,
    9000,
  ]);
  assertAlmostEquals(failuresPerMillion.value!, 1e6 * 2 / 8);
  assertEquals(failuresPerMillion.low! < failuresPerMillion.value!, true);
  assertEquals(failuresPerMillion.high! > failuresPerMillion.value!, true);
  // Two gaps on the kept connection, four on a new one; two are not answered.
  assertAlmostEquals(addedMs.value!, 8 / 3);
  assertEquals([addedMs.low! > 0, addedMs.low! < 8 / 3, addedMs.high! > 8 / 3], [true, true, true]);
});

Deno.test("costOf() takes what was measured for as unsure as it is", () => {
  const noisy = [3, 11].map((elapsedMs) => cellWith({ pauseMs: 9000, reused: false, elapsedMs }));
  const { addedMs } = cost([KEPT, ...noisy], new Array(1000).fill(9000));
  assertEquals([addedMs.value, addedMs.low, addedMs.high], [6, 2, 10]);
});

Deno.test("a gap beyond the client's timeout gets a new connection, though no pause was as long", () => {
  assertEquals(cost([KEPT, LOST], [8000], 7000).failuresPerMillion.value, 0);
  assertEquals(cost([KEPT, LOST], [8000], 9000).failuresPerMillion.value, 1e6);
});

Deno.test("no failure has the upper end that the measured pairs leave open", () => {
  const { failuresPerMillion } = cost(new Array(60).fill(KEPT), [1000, 1000]);
  assertEquals([failuresPerMillion.value, Math.round(failuresPerMillion.high! / 1000)], [0, 49]);
});

Deno.test("a time whose interval includes 0 is no number, and has its interval all the same", () => {
  const kept = [1, 9].map((elapsedMs) => cellWith({ pauseMs: 1000, elapsedMs }));
  const { addedMs, failuresPerMillion } = cost(kept, new Array(1000).fill(1000));
  assertEquals([addedMs.value, addedMs.low, addedMs.high], [null, -8, 8]);
  assertEquals(addedMs.reason, "Lost in the noise: its 95 % interval includes 0");
  assertEquals(failuresPerMillion.value, 0);
});

Deno.test("what cannot be known is null with its reason", () => {
  assertEquals(cost([], [1]).failuresPerMillion.reason, "No pair was measured");
  assertEquals(
    cost([LOST], [1]).addedMs.reason,
    "No connection was used again: there is nothing to compare with",
  );
  assertEquals(cost([KEPT, LOST], [3000]).addedMs.reason, "No request of such gaps is answered");
});
