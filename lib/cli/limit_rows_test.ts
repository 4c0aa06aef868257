import { assertEquals, assertMatch } from "@std/assert";
import type { Environment } from "../record/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import { budgetsOf, type BudgetsOptions, budgetsText, limitRows } from "./limit_rows.ts";

const NETWORK: Environment["network"] = {
  ephemeralPorts: [32_768, 60_999],
  reservedPorts: "40000-40231",
  tcpTwReuse: 2,
  tcpFinTimeoutS: 60,
  tcpMaxTwBuckets: 131_072,
  somaxconn: 4096,
  congestionControl: "cubic",
  timeWaitMs: 60_000,
};

/** What each limit allows, by its path. */
function allows(
  network: Partial<Environment["network"]> = {},
  { reasons = {}, ...options }: BudgetsOptions & Partial<Pick<Environment, "reasons">> = {},
) {
  const environment: Environment = {
    ...readEnvironment({ isolation: "none" }),
    network: { ...NETWORK, ...network },
    limits: { descriptors: 20_000 },
    reasons,
  };
  return Object.fromEntries(
    limitRows(environment, options).map(([path, value, allowed]) => [path, `${value}: ${allowed}`]),
  );
}

Deno.test("every limit of a run's environment is told with what it allows", () => {
  const told = allows();
  assertEquals(
    Object.keys(told).toSorted(),
    ["limits.descriptors", ...Object.keys(NETWORK).map((name) => `network.${name}`)].toSorted(),
  );
  assertMatch(told["limits.descriptors"]!, /^20,000: 20,000 sockets/);
  assertMatch(told["network.ephemeralPorts"]!, /^32768 to 60999: 28,000 connections at once to one address/);
  assertMatch(told["network.reservedPorts"]!, /^40000-40231: 232 of these 28,232 are kept back$/);
  assertMatch(
    told["network.timeWaitMs"]!,
    /^60 s: .*; over a network: 466 new connections per second, if the client closes first$/,
  );
  assertMatch(allows({ reservedPorts: "" })["network.reservedPorts"]!, /^none: 0 of these/);
});

Deno.test("what the reuse of ports in TIME_WAIT allows depends on where it is allowed", () => {
  const told = (tcpTwReuse: number) => allows({ tcpTwReuse })["network.tcpTwReuse"]!;
  assertEquals(told(0), "0: no port is used again while it is in TIME_WAIT");
  assertMatch(told(1), /^1: everywhere .* after 1 s: 28,000 new connections per second$/);
  assertMatch(told(2), /^2: over loopback .* after 1 s: 28,000 new connections per second$/);
  // TIME_WAIT itself is as long as ever.
  assertMatch(
    allows({ tcpTwReuse: 1 })["network.timeWaitMs"]!,
    /; without reuse: 466 new connections per second/,
  );
});

Deno.test("the delay of reuse is the kernel's own where it has one", () => {
  const told = (reuseDelayMs: number) => allows({}, { reuseDelayMs })["network.tcpTwReuse"]!;
  assertMatch(told(1500), / after 1,500 ms: 18,666 new connections per second$/);
  assertMatch(told(2000), / after 2 s: 14,000 new connections per second$/);
});

Deno.test("all ports come to one line, with whole connections per second", () => {
  const text = (network: Partial<Environment["network"]>, options?: BudgetsOptions) =>
    budgetsText(budgetsOf({ ...NETWORK, reservedPorts: "", ...network }, options));
  assertEquals(
    text({}),
    "To one address and port: 28,232 at once; 470 new per second over a network, 28,232 over loopback",
  );
  assertMatch(text({ tcpTwReuse: 0 })!, /470 new per second over a network, 470 over loopback$/);
  assertMatch(text({}, { reuseDelayMs: 2000 })!, /470 new per second over a network, 14,116 over loopback$/);
  assertEquals(text({ timeWaitMs: null }), null);
});

Deno.test("what is not known allows nothing that could be told", () => {
  const told = allows({ ephemeralPorts: null }, { reasons: { "network.ephemeralPorts": "It is macOS" } });
  assertEquals(told["network.ephemeralPorts"], "not known: It is macOS");
  assertEquals(told["network.reservedPorts"], "40000-40231: ");
  assertEquals(budgetsOf({ ...NETWORK, timeWaitMs: null }), { elsewhere: null, loopback: null });
  const { elsewhere, loopback } = budgetsOf({ ...NETWORK, tcpTwReuse: null, reservedPorts: null });
  assertEquals([elsewhere?.ports, loopback?.heldMs], [28_232, 60_000]);
});
