import { assertEquals, assertThrows } from "@std/assert";
import { portBudget } from "./port_budget.ts";

const LINUX = { range: [32_768, 60_999], timeWaitMs: 60_000 } as const;

Deno.test("each source has each port once per destination", () => {
  assertEquals(portBudget(LINUX), {
    ports: 28_232,
    connectionsToOneAddress: 28_232,
    connections: 28_232,
    heldMs: 60_000,
    sustainedRatePerSecond: 28_232 / 60,
  });
  const { ports, connectionsToOneAddress, connections } = portBudget({
    ...LINUX,
    sources: 2,
    destinations: 3,
  });
  assertEquals([ports, connectionsToOneAddress, connections], [28_232, 56_464, 169_392]);
});

Deno.test("a port that bind() takes is one connection's, whatever the destination, and is not used again early", () => {
  const bound = portBudget({ ...LINUX, bind: "first", destinations: 3, sources: 2, reuse: 1 });
  assertEquals([bound.connections, bound.heldMs], [56_464, 60_000]);
  const late = portBudget({ ...LINUX, bind: "no-port", destinations: 3, reuse: 1 });
  assertEquals([late.connections, late.heldMs], [84_696, 1000]);
});

Deno.test("reserved ports are not given away", () => {
  const budget = portBudget({ range: [40_000, 40_999], reserved: "1-100,40500-40599", timeWaitMs: 1000 });
  assertEquals([budget.ports, budget.sustainedRatePerSecond], [900, 900]);
  assertEquals(portBudget({ range: [10, 19], reserved: "1-65535", timeWaitMs: 1000 }).connections, 0);
});

Deno.test("TIME_WAIT holds a port until it may be used again", () => {
  const held = (reuse: number, loopback: boolean) => portBudget({ ...LINUX, reuse, loopback }).heldMs;
  assertEquals([held(0, true), held(1, false), held(2, true), held(2, false)], [60_000, 1000, 1000, 60_000]);
  assertEquals(portBudget({ ...LINUX, timeWaitMs: 500, reuse: 1 }).heldMs, 500);
  assertEquals(portBudget({ ...LINUX, reuse: 1, reuseDelayMs: 2000 }).heldMs, 2000);
  assertEquals(portBudget({ ...LINUX, reuse: 0, reuseDelayMs: 2000 }).heldMs, 60_000);
  assertEquals(portBudget({ ...LINUX, timeWaitMs: 0 }).sustainedRatePerSecond, null);
  assertEquals(portBudget({ ...LINUX, timeWaitMs: 0, lifetimeMs: 2000 }).sustainedRatePerSecond, 14_116);
});

Deno.test("a budget of nothing is refused", () => {
  for (
    const [name, value] of [["sources", 0], ["destinations", 1.5], ["timeWaitMs", -1], ["lifetimeMs", NaN], [
      "reuseDelayMs",
      -1,
    ]]
  ) {
    assertThrows(() => portBudget({ ...LINUX, [name!]: value }), RangeError, `${name} must be`);
  }
});
