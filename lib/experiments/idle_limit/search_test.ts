import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { bracketOf, nextPauses, type Trial } from "./search.ts";

/** Searches a limit as the measurement does: a round ends at its first loss, and takes as long as that. */
function search(limitMs: number, budgetMs: number, width: number): { trials: Trial[]; tookMs: number } {
  const trials: Trial[] = [];
  for (let tookMs = 0;;) {
    const pauses = nextPauses(trials, { width, longestMs: budgetMs - tookMs });
    if (pauses.length === 0) return { trials, tookMs };
    const lost = pauses.findIndex((pauseMs) => pauseMs >= limitMs);
    const tried = lost === -1 ? pauses : pauses.slice(0, lost + 1);
    trials.push(...tried.map((pauseMs) => ({ pauseMs, answered: pauseMs < limitMs })));
    tookMs += tried.at(-1)!;
  }
}

for (const width of [2, 4, 20]) {
  for (const limitMs of [1000, 5000, 20_000, 59_000]) {
    Deno.test(`nextPauses() with ${width} at once brackets ${limitMs} ms and keeps to its budget`, () => {
      const budgetMs = 120_000;
      const { trials, tookMs } = search(limitMs, budgetMs, width);
      const { lowMs, highMs } = bracketOf(trials);
      assert(lowMs < limitMs && limitMs <= highMs!);
      assert(tookMs <= budgetMs);
    });
  }
}

Deno.test("nextPauses() narrows a limit that is short beside the budget to 5 % or 50 ms", () => {
  for (const limitMs of [300, 1000, 2000, 7500]) {
    const { lowMs, highMs } = bracketOf(search(limitMs, 120_000, 4).trials);
    assert(highMs! - lowMs <= Math.max(50, 0.05 * highMs!), `${lowMs} to ${highMs}`);
  }
});

Deno.test("nextPauses() leaves a quarter of a limit open at most where there is time for one round only", () => {
  for (const limitMs of [61_000, 80_000, 119_000]) {
    const { lowMs, highMs } = bracketOf(search(limitMs, 120_000, 8).trials);
    assert(highMs! / lowMs < 1.25, `${lowMs} to ${highMs}`);
  }
});

Deno.test("nextPauses() spends nothing more on a limit that lies beyond every pause", () => {
  const { trials, tookMs } = search(Infinity, 60_000, 4);
  assertEquals(bracketOf(trials), { lowMs: 60_000, highMs: null });
  assertEquals([trials.length, tookMs], [4, 60_000]);
});

Deno.test("nextPauses() tries only what there is time for", () => {
  const trials = [{ pauseMs: 1000, answered: true }, { pauseMs: 5000, answered: false }];
  assertEquals(nextPauses(trials, { width: 3, longestMs: 3500 }), [2000, 3000]);
  assertEquals(nextPauses(trials, { width: 3, longestMs: 1500 }), []);
  assertEquals(nextPauses([], { width: 3, longestMs: 0 }), []);
  assertEquals(nextPauses([], { width: 3, longestMs: -1 }), []);
});

Deno.test("bracketOf() keeps below the shortest pause that was not survived, whatever longer ones were", () => {
  assertEquals(bracketOf([]), { lowMs: 0, highMs: null });
  const trials = [[1, true], [3, false], [4, true], [5, false]] as const;
  assertEquals(bracketOf(trials.map(([pauseMs, answered]) => ({ pauseMs, answered }))), {
    lowMs: 1,
    highMs: 3,
  });
});

Deno.test("nextPauses() spreads the first round evenly on a logarithmic scale", () => {
  const pauses = nextPauses([], { width: 4, longestMs: 60_000 });
  assertAlmostEquals(pauses.at(-1)!, 60_000, 1e-6);
  for (const [place, pauseMs] of pauses.slice(1).entries()) {
    assertAlmostEquals(pauseMs / pauses[place]!, 4 ** (1 / 3), 1e-9);
  }
});
