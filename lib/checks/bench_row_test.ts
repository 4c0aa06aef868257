import { assert, assertEquals } from "@std/assert";
import { type BenchRow, line, meets } from "./bench_row.ts";

const row: BenchRow = { name: "a / b", ratio: 1.2, target: 1.2, direction: "at most", note: "12 ms / 10 ms" };

Deno.test("meets() counts the target itself as met, and no number as missed", () => {
  assert(meets(row));
  assert(!meets({ ...row, ratio: 1.21 }));
  assert(meets({ ...row, direction: "at least" }));
  assert(!meets({ ...row, direction: "at least", ratio: 1.19 }));
  assert(!meets({ ...row, ratio: NaN }));
  assert(!meets({ ...row, ratio: NaN, direction: "at least" }));
});

Deno.test("line() marks what is missed", () => {
  assertEquals(line(row).replace(/ {2,}/g, "  "), "✓ a / b  1.20  ≤ 1.2  12 ms / 10 ms");
  const missed: BenchRow = { name: "a / b", ratio: 0.5, target: 2, direction: "at least" };
  assertEquals(line(missed).replace(/ {2,}/g, "  "), "✗ a / b  0.50  ≥ 2");
});
