import { assert, assertEquals } from "@std/assert";
import { DelayedArms } from "./delayed_arms.ts";
import type { Variant } from "./variants.ts";

/** Adds requests to an arm that waited so long each. */
function add(arms: DelayedArms, variant: Variant, waits: readonly number[]): void {
  for (const waitMs of waits) {
    arms.add(variant, { waitMs, receiveMs: 0.1, elapsedMs: waitMs + 0.1 });
  }
}

const times = (count: number, waitMs: number) => new Array<number>(count).fill(waitMs);

Deno.test("an arm of either client whose time is mostly delayed ACKs is told, whatever carries it", () => {
  const clients = ["plain/fetch/new", "tls/fetch/resumed", "tls/fetch/shared", "tls/raw/new"] as const;
  for (const variant of clients) {
    const arms = new DelayedArms();
    add(arms, variant, [...times(22, 44), ...times(8, 2)]);
    assertEquals(arms.variants, [variant]);
    assert(arms.warning!.message.includes(`${variant} (22 of 30 requests)`));
    assertEquals(
      arms.warning!.message.includes("fetch leaves Nagle's algorithm on"),
      variant.includes("fetch"),
    );
  }
});

Deno.test("waits for the rest of a response count as those for its head do", () => {
  const arms = new DelayedArms();
  add(arms, "tls/raw/new", [1]);
  for (const _ of times(20, 0)) arms.add("tls/raw/shared", { waitMs: 0.2, receiveMs: 43, elapsedMs: 43.3 });
  assertEquals(arms.variants, ["tls/raw/shared"]);
});

Deno.test("a quicker arm over the same transport shows that the server is not slow, one over another does not", () => {
  const arms = new DelayedArms();
  add(arms, "tls/fetch/new", times(20, 44));
  add(arms, "plain/fetch/new", times(20, 1));
  assertEquals([arms.variants, arms.warning], [[], null]);
  add(arms, "tls/fetch/shared", times(20, 1));
  assertEquals(arms.variants, ["tls/fetch/new"]);
});

const UNDELAYED: readonly [what: string, waits: readonly number[]][] = [
  ["has few such waits, as any busy machine has", [...times(9, 44), ...times(9, 1)]],
  ["has such waits in less than a tenth of its requests", [...times(10, 44), ...times(91, 1)]],
  ["spends most of its time elsewhere", [...times(10, 44), ...times(10, 1), ...times(10, 80)]],
  ["waits longer than a delayed ACK takes", [...times(30, 75), 1]],
  ["waits shorter than one", [...times(30, 38), 1]],
];

for (const [what, waits] of UNDELAYED) {
  Deno.test(`an arm is not told to be delayed that ${what}`, () => {
    const arms = new DelayedArms();
    add(arms, "tls/fetch/new", waits);
    assertEquals([arms.variants, arms.warning], [[], null]);
  });
}
