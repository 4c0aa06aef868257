import { assert, assertEquals } from "@std/assert";
import { randomSource } from "../../stats/mod.ts";
import type { Arm } from "./plan.ts";
import { predict, type Prediction } from "./prediction.ts";
import type { Strategy } from "./strategies.ts";
import { STATED_WINDOWS, windowIn, windowPorts } from "./window.ts";

function predicted(strategy: Strategy, change: Partial<Arm> = {}, mixesParities = true): Prediction | null {
  return predict({
    ...{
      variant: strategy,
      strategy,
      range: { low: 1024, high: 5023 },
      family: "ipv4",
      sources: 1,
      threads: 1,
    },
    ...{ windowPorts: null, connects: 4000 },
    ...change,
  }, { mixesParities, random: randomSource(1) });
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
const failures = ({ ports }: Prediction) => ports.filter(Number.isNaN).length;

Deno.test("the model tries few ports up to half of the range, and over half of it from there on", () => {
  const { tries, ports } = predicted("plain")!;
  assert(mean(tries.subarray(0, 1900)) < 5);
  assert(Math.min(...tries.subarray(2000)) > 2000);
  assertEquals(new Set(ports).size, 4000);
  const { tries: mixed } = predicted("full-range")!;
  assert(mean(mixed) < 20);
  const { tries: older } = predicted("full-range", {}, false)!;
  assert(Math.min(...older.subarray(2000)) > 2000);
});

Deno.test("two sources have the ports of the range twice", () => {
  const { tries } = predicted("plain", { sources: 2 })!;
  assert(mean(tries) < 10);
});

Deno.test("random choice takes 1 ÷ (1 − use) attempts", () => {
  const { tries } = predicted("select-test-repeat", { connects: 3600 })!;
  const at = (use: number) => mean(tries.subarray((use - 0.05) * 4000, (use + 0.05) * 4000));
  assert(Math.abs(at(0.5) - 2) < 0.3 && Math.abs(at(0.8) - 5) < 1);
});

Deno.test("the model of 56,512 ports fails as often as the study states, window by window", () => {
  const range = { low: 9024, high: 65_535 };
  const counts = STATED_WINDOWS.map((size) =>
    failures(predicted("window", { range, connects: 56_512, windowPorts: windowPorts(size, 56_512) })!)
  );
  for (const [at, stated] of [868, 1129, 4037, 6695].entries()) {
    assert(Math.abs(counts[at]! / stated - 1) < 0.25, `${counts[at]} against ${stated}`);
  }
});

Deno.test("UDP has no walk", () => {
  assertEquals([predicted("udp"), predicted("udp-reuse")], [null, null]);
});

Deno.test("a window may lie anywhere in the range, ends included", () => {
  const range = { low: 100, high: 109 };
  assertEquals(windowIn(range, 3, () => 0), { low: 100, high: 102 });
  assertEquals(windowIn(range, 3, () => 0.999_999), { low: 107, high: 109 });
  assertEquals(windowIn(range, 10, () => 0.5), range);
});
