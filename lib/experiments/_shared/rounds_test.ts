import { assertEquals, assertNotEquals } from "@std/assert";
import { randomSource } from "../../stats/mod.ts";
import type { Client } from "../../transport/mod.ts";
import { takeTurns, timeRequests, type Turn } from "./rounds.ts";

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

/** Makes five requests, of 1 ms each; a look takes 100. */
async function timed(ports: readonly (number | null)[] | null, closes: readonly boolean[] = []) {
  const made: string[] = [];
  let nowMs = 0;
  const client = {
    ...{ variant: "fetch/shared", connections: null, close: () => {}, [Symbol.dispose]: () => {} },
    request: () => {
      nowMs++;
      made.push("request");
      return Promise.resolve({
        serverCloses: closes[made.filter((what) => what === "request").length - 1] ?? false,
      });
    },
  };
  const context = {
    signal: new AbortController().signal,
    timed: async <T>(work: () => Promise<T>) => {
      const startMs = nowMs;
      return { value: await work(), elapsedMs: nowMs - startMs };
    },
  };
  const left = [...ports ?? []];
  const look = () => {
    nowMs += 100;
    made.push("look");
    return left.shift()!;
  };
  const outcome = await timeRequests(
    client as unknown as Client,
    5,
    context,
    ports === null ? undefined : look,
  );
  const { exchanges, ...rest } = outcome;
  assertEquals(exchanges.length, 5);
  return { made, ...rest };
}

Deno.test("timeRequests() looks after the first request and after the last, and counts no time for it", async () => {
  const { made, elapsedMs, keptPort } = await timed([7, 7]);
  assertEquals(made, ["request", "look", "request", "request", "request", "request", "look"]);
  assertEquals([elapsedMs, keptPort], [5, 7]);
  assertEquals((await timed(null)).made, Array(5).fill("request"));
});

Deno.test("timeRequests() knows of no connection that was kept where another one was seen, or none", async () => {
  for (const ports of [[7, 8], [7, null], [null, 7], [null, null], null]) {
    assertEquals((await timed(ports)).keptPort, null);
  }
});

Deno.test("timeRequests() counts the answers that announced an end and were not the last", async () => {
  assertEquals((await timed(null, [true, false, true, false, true])).announcedCloses, 2);
});
