import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { BASE_MS, type Change, of, TRY_MS, value, verdict, view } from "./_made_run.ts";

function close(actual: number | null, expected: number, tolerance: number): void {
  assert(actual !== null && Math.abs(actual - expected) <= tolerance, `${actual} and not ${expected}`);
}

const whole = view();

Deno.test("summarize() gives means by parity, their ratio, and the step at half of the range", () => {
  const slowMs = (BASE_MS + TRY_MS * 2001) * 1.05;
  close(value(whole, "connectOddMs", "plain"), slowMs, slowMs / 50);
  close(value(whole, "connectEvenMs", "plain"), BASE_MS * 1.05, BASE_MS / 50);
  close(value(whole, "parityRatio", "plain"), slowMs / BASE_MS / 1.05, 0.2);
  close(value(whole, "stepAtShare", "plain"), 0.5, 0.002);
  close(value(whole, "stepRatio", "plain"), slowMs / BASE_MS / 1.05, 0.3);
  assertEquals(value(whole, "stepAtShare", "full-range"), null);
  close(value(whole, "slowShare", "plain/2-sources"), 0.194, 0.005);
  assertEquals(value(whole, "connections", "plain"), 4000);
  assertEquals(value(whole, "connectionsPerSecond", "plain"), 8000);
});

Deno.test("summarize() counts failures by kind, attempts, and ports in double use", () => {
  const failed = value(whole, "errors", "window")!;
  assert(failed > 0);
  assertEquals(value(whole, "localPortsExhausted", "window"), failed);
  assertEquals(value(whole, "localPortsExhausted", "plain"), 0);
  assertEquals(value(whole, "connections", "window"), 4000 - failed);
  assertAlmostEquals(value(whole, "attemptsPerConnection", "window")!, 4000 / (4000 - failed));
  assertEquals([value(whole, "portsInDoubleUse", "udp"), value(whole, "portsInDoubleUse", "udp-reuse")], [
    0,
    2000,
  ]);
  close(value(whole, "attemptsAtUse", "select-test-repeat at 75 %"), 4, 1);
});

Deno.test("an arm that was not measured, or not reached, has the reason in place of every number", () => {
  const reason = "IPv6 is off";
  const off = view({
    connects: of("plain/ipv6", () => null),
    arms: of("plain/ipv6", (row) => ({ ...row, elapsedMs: null, reason })),
  });
  const metrics = off.summary.filter(({ variant }) => variant === "plain/ipv6");
  assert(metrics.length > 5 && metrics.every((metric) => metric.value === null && metric.reason === reason));
  assertEquals(verdict(off, "C10"), `not applicable here: plain/ipv6: ${reason}`);
  assertEquals(verdict(off, "C1").startsWith("holds"), true);
});

Deno.test("a rise at the end of the range, or at its beginning, is no step", () => {
  const stepOf = (change: Change) => {
    const { summary } = view({ given: { strategies: "udp", ports: 1000 }, connects: of("udp", change) });
    const { value, reason } = summary.find(({ name }) => name === "stepAtShare")!;
    return value ?? reason;
  };
  const slow = (wanted: (order: number) => boolean): Change => (row) => ({
    ...row,
    connectMs: wanted(row.order as number) ? 0.1 : 0.01,
  });
  assertEquals(stepOf(slow((order) => order >= 850)), "It rises only at the end");
  assertEquals(stepOf(slow((order) => order < 150)), "It falls only at the beginning");
  assertEquals(stepOf(slow(() => true)), "There is no step");
  assertEquals(stepOf(slow((order) => order >= 780)), 0.78);
  assertEquals(stepOf(slow((order) => order >= 220)), 0.22);
});
