import { assertEquals } from "@std/assert";
import { type Carried, roundsOf } from "./rounds.ts";

const on = (lane: string, fromMs: number, toMs: number): Carried => ({ lane, fromMs, toMs });

Deno.test("roundsOf() counts on each connection what was over before", () => {
  const requests = [
    on("1", 0, 500),
    on("2", 0, 510),
    on("1", 500, 1000),
    on("2", 510, 1010),
    on("1", 1000, 1500),
  ];
  assertEquals(roundsOf(requests), [1, 1, 2, 2, 3]);
  assertEquals(roundsOf(requests.toReversed()), [3, 2, 2, 1, 1]);
});

Deno.test("roundsOf() takes what one connection carries at the same time for one round", () => {
  const together = Array.from({ length: 10 }, (_, place) => on("1", place / 100, 500 + place));
  assertEquals(roundsOf(together), new Array(10).fill(1));
  // Two of them after the first two: a limit of streams.
  assertEquals(roundsOf([on("1", 0, 500), on("1", 0, 501), on("1", 500, 1000), on("1", 502, 1002)]), [
    1,
    1,
    2,
    2,
  ]);
});

Deno.test("roundsOf() does not mind that the clock is read a little apart at a hand-over", () => {
  assertEquals(roundsOf([on("1", 0, 500.01), on("1", 500, 1000)]), [1, 2]);
});

Deno.test("roundsOf() counts one more than the latest round that was over, not than the number of requests", () => {
  assertEquals(roundsOf([on("1", 0, 100), on("1", 0, 300), on("1", 100, 200), on("1", 310, 400)]), [
    1,
    1,
    2,
    3,
  ]);
  assertEquals(roundsOf([]), []);
});
