import { assertEquals, assertNotEquals } from "@std/assert";
import { compute, ITERATIONS_PER_DIFFICULTY } from "./compute.ts";

Deno.test("compute makes every iteration that it counts", () => {
  let hash = 0x811c9dc5n;
  for (let number = 0n; number < BigInt(ITERATIONS_PER_DIFFICULTY); number++) {
    hash = ((hash ^ number) * 0x01000193n) & 0xffffffffn;
  }
  assertEquals(compute(1), { iterations: ITERATIONS_PER_DIFFICULTY, checksum: Number(hash) });
});

Deno.test("compute grows with the difficulty", () => {
  assertEquals([1, 2, 5].map((difficulty) => compute(difficulty).iterations), [200_000, 400_000, 1_000_000]);
  assertNotEquals(compute(2).checksum, compute(1).checksum);
});
