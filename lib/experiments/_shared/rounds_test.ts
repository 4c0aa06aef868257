import { assertEquals, assertNotEquals } from "@std/assert";
import { randomSource } from "../../stats/mod.ts";
import { takeTurns, type Turn } from "./rounds.ts";

const VARIANTS = ["a", "b", "c", "d"] as const;

/** Takes turns, and gives up after some of them. */
async function turnsOf(seed: number, stopAfter = Infinity): Promise<{ turns: Turn[]; progress: number[] }> {
  const abort = new AbortController();
  const turns: Turn[] = [];
  const progress: number[] = [];
  await takeTurns({
    variants: VARIANTS,
    rounds: 6,
    measure: (turn) => {
      if (turns.push(turn) === stopAfter) abort.abort();
      return Promise.resolve();
    },
  }, { random: randomSource(seed), signal: abort.signal, progress: (done) => void progress.push(done) });
  return { turns, progress };
}

Deno.test("takeTurns() has every variant once in each round, with one round more to warm up", async () => {
  const { turns, progress } = await turnsOf(1);
  assertEquals(turns.map(({ round }) => round), Array.from({ length: 28 }, (_, at) => Math.floor(at / 4)));
  assertEquals(turns.map(({ place }) => place), Array.from({ length: 28 }, (_, at) => at % 4));
  for (let round = 0; round <= 6; round++) {
    const variants = turns.filter((turn) => turn.round === round).map(({ variant }) => variant);
    assertEquals(variants.sort(), [...VARIANTS]);
  }
  assertEquals(progress, Array.from({ length: 28 }, (_, at) => at + 1));
});

Deno.test("takeTurns() draws another order for each round, and the same ones for the same seed", async () => {
  const order = ({ turns }: { turns: Turn[] }) => turns.map(({ variant }) => variant).join("");
  const drawn = order(await turnsOf(1));
  assertEquals(order(await turnsOf(1)), drawn);
  assertNotEquals(order(await turnsOf(2)), drawn);
  assertNotEquals(new Set(drawn.match(/.{4}/g)).size, 1);
});

Deno.test("takeTurns() ends when the run is to stop, and counts no turn that was cut short", async () => {
  const { turns, progress } = await turnsOf(1, 6);
  assertEquals([turns.length, progress.length], [6, 5]);
});
