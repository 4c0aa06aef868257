import { assertEquals } from "@std/assert";
import { ProgressSteps, shareOf } from "./progress.ts";

/** The shares that get a line. */
function said(shares: readonly number[]): number[] {
  const steps = new ProgressSteps();
  return shares.filter((share) => steps.take(share));
}

Deno.test("progress is said at its beginning, at every quarter, and once at its end", () => {
  assertEquals(said([0.1, 0.2, 0.3, 0.36, 0.4, 0.62, 0.9, 0.99, 1, 1]), [0.1, 0.36, 0.62, 0.9, 1]);
});

Deno.test("work that begins after other work was done is said anew", () => {
  assertEquals(said([0.5, 1, 0, 0.1, 0.3, 1, 1, 0.5]), [0.5, 1, 0, 0.3, 1, 0.5]);
});

Deno.test("the share done is a share of 1, whatever an experiment says", () => {
  const said: [done: number, total: number][] = [[0, 4], [1, 4], [5, 4], [-1, 4], [0, 0], [3, 0]];
  assertEquals(said.map(([done, total]) => shareOf(done, total)), [0, 0.25, 1, 0, 1, 1]);
});
