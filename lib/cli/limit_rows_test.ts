import { assertEquals, assertMatch } from "@std/assert";
import type { Environment } from "../record/mod.ts";
import { readEnvironment } from "../system/mod.ts";
import { budgetsOf, limitRows } from "./limit_rows.ts";

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
function allows(network: Partial<Environment["network"]> = {}, reasons: Environment["reasons"] = {}) {
  const environment: Environment = {
    ...readEnvironment({ isolation: "none" }),
    network: { ...NETWORK, ...network },
    limits: { descriptors: 20_000 },
    reasons,
  };
  return Object.fromEntries(
    limitRows(environment).map(([path, value, allowed]) => [path, `${value}: ${allowed}`]),
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
  assertMatch(told["network.timeWaitMs"]!, /^60 s: .*: 466 connections per second to one address/);
  assertMatch(allows({ reservedPorts: "" })["network.reservedPorts"]!, /^none: 0 of these/);
});

Deno.test("what the reuse of ports in TIME_WAIT allows depends on where it is allowed", () => {
  const told = (tcpTwReuse: number) => allows({ tcpTwReuse })["network.tcpTwReuse"]!;
  assertEquals(told(0), "0: no port is used again while it is in TIME_WAIT");
  assertMatch(told(1), /^1: everywhere .*: 28,000 connections per second/);
  assertMatch(told(2), /^2: over loopback .*: 28,000 connections per second/);
  // TIME_WAIT itself is as long as ever.
  assertMatch(allows({ tcpTwReuse: 1 })["network.timeWaitMs"]!, /: 466 connections per second/);
});

Deno.test("what is not known allows nothing that could be told", () => {
  const told = allows({ ephemeralPorts: null }, { "network.ephemeralPorts": "It is macOS" });
  assertEquals(told["network.ephemeralPorts"], "not known: It is macOS");
  assertEquals(told["network.reservedPorts"], "40000-40231: ");
  assertEquals(budgetsOf({ ...NETWORK, timeWaitMs: null }), { elsewhere: null, loopback: null });
  const { elsewhere, loopback } = budgetsOf({ ...NETWORK, tcpTwReuse: null, reservedPorts: null });
  assertEquals([elsewhere?.ports, loopback?.heldMs], [28_232, 60_000]);
});
