import { assertEquals, assertMatch } from "@std/assert";
import type { Environment } from "../../record/mod.ts";
import { readEnvironment } from "../../system/mod.ts";
import { countRound, type RoundTraces } from "./round_counts.ts";
import type { LeftSockets } from "./socket_ledger.ts";

const SERVER_PORT = 8080;

/** Settings as they would be read, with some changed. */
function settings(network: Partial<Environment["network"]>): Environment {
  const environment = readEnvironment({ isolation: "none" });
  const known = { ephemeralPorts: [32768, 60999] as const, tcpTwReuse: 2, tcpMaxTwBuckets: 100_000 };
  return { ...environment, network: { ...environment.network, ...known, ...network } };
}

/** Sockets of clients, a port each. */
function left(count: number, changes: Partial<LeftSockets> = {}): LeftSockets {
  const entries = Array.from({ length: count }, (_, index) => ({
    family: "ipv4" as const,
    local: { address: "127.0.0.1", port: 40_000 + index },
    peer: { address: "127.0.0.1", port: SERVER_PORT },
    state: "TIME_WAIT" as const,
  }));
  return { entries, timeWait: { client: count, server: 0 }, hadOlder: false, systemTotal: count, ...changes };
}

function traces(changes: Partial<RoundTraces>): RoundTraces {
  return {
    ...{ keepsConnection: false, requests: 500, elapsedMs: 100, opened: null, server: null },
    ...{ keptPort: null, announcedCloses: 0 },
    ...{ left: left(500), local: true, serverPort: SERVER_PORT },
    ...changes,
  };
}

const values = (changes: Partial<RoundTraces>, network: Partial<Environment["network"]> = {}) => {
  const { connections, timeWaitClient, timeWaitServer } = countRound(traces(changes), settings(network));
  return [connections.value, timeWaitClient.value, timeWaitServer.value];
};

Deno.test("connections are the server's events before all, then the client's own count, then ports", () => {
  const server = { connections: 7, by: "events" as const };
  assertEquals(values({ server, opened: 8, left: left(7) }), [7, 7, 0]);
  assertEquals(values({ server: { connections: 9, by: "client ports" }, opened: 8, left: left(8) }), [
    8,
    8,
    0,
  ]);
  assertEquals(values({ server: { connections: 500, by: "client ports" } }), [500, 500, 0]);
  assertEquals(values({}), [500, 500, 0]);
});

Deno.test("sockets that were used again are no count: null with the reason, not a smaller number", () => {
  const server = { connections: 500, by: "events" as const };
  const older = { server, left: left(368, { hadOlder: true }) };
  const long = { server, left: left(368), elapsedMs: 1500 };
  for (const round of [older, long]) {
    assertEquals(values(round), [500, null, null]);
    const { timeWaitClient } = countRound(traces(round), settings({}));
    assertMatch(timeWaitClient.reason!, /tcp_tw_reuse is 2/);
    // Where the system never uses them again, a smaller number is what happened.
    assertEquals(values(round, { tcpTwReuse: 0 }), [500, 368, 0]);
  }
  assertEquals(values({ server, left: left(368) }), [500, 368, 0]);
});

Deno.test("connections that only ports tell apart are not counted where a port may have been used twice", () => {
  const server = { connections: 413, by: "client ports" as const };
  assertEquals(values({ server, elapsedMs: 2000 })[0], null);
  assertEquals(values({ server, elapsedMs: 2000 }, { tcpTwReuse: 0 })[0], 413);
  assertEquals(
    values({ server: { ...server, connections: 1 }, keepsConnection: true, elapsedMs: 2000 })[0],
    1,
  );
});

const shared = { keepsConnection: true, requests: 4 };

const BY_TABLE: readonly [
  what: string,
  changes: Partial<RoundTraces>,
  count: number | null,
  reason?: RegExp,
][] = [
  ["as many as requests are all of them", { left: left(500) }, 500],
  ["fewer are the least", { left: left(413) }, null, /^At least 413: .* reset/],
  [
    "more are not all the client's",
    { left: left(501) },
    null,
    /501 connections for 500 requests: another client/,
  ],
  ["one that was there from first to last is the one", { ...shared, left: left(1), keptPort: 40_000 }, 1],
  ["it is, where it left nothing", { ...shared, left: left(0), keptPort: 40_000 }, 1],
  ["it is, where the table tells no more", { ...shared, left: "No more", keptPort: 40_000 }, 1],
  ["one that is left may be the last of many", { ...shared, left: left(1) }, null, /^At least 1: .* reset/],
  ["two are the least", { ...shared, left: left(2) }, null, /^At least 2: .* reset/],
  ["one beside the one that was kept", { ...shared, left: left(1), keptPort: 50_000 }, null, /^At least 2: /],
  ["each but the last announced to end", { ...shared, left: left(0), announcedCloses: 3 }, 4],
  ["that, where there is no table", { ...shared, left: "No table", announcedCloses: 3 }, 4],
  [
    "some announced to end",
    { ...shared, left: left(1), announcedCloses: 2 },
    null,
    /^At least 3: with 2 answers the server announced/,
  ],
  ["there is no table", { ...shared, left: "No table" }, null, /^No table$/],
];

for (const [what, changes, count, reason] of BY_TABLE) {
  Deno.test(`connections that only the socket table shows: ${what}`, () => {
    const { connections } = countRound(traces(changes), settings({}));
    assertEquals(connections.value, count);
    if (reason === undefined) assertEquals(connections.reason, null);
    else assertMatch(connections.reason!, reason);
  });
}

Deno.test("sockets in TIME_WAIT are no count where they may have been used again and connections are not known", () => {
  assertEquals(values({ left: left(413, { hadOlder: true }) }), [null, null, null]);
  assertEquals(values({ left: left(413) }), [null, 413, 0]);
});

Deno.test("more requests than half of the ephemeral ports are not told apart by port", () => {
  const server = { connections: 14_200, by: "client ports" as const };
  assertEquals(values({ requests: 14_200, server, left: left(10) })[0], null);
  assertEquals(values({ requests: 14_200, opened: 14_200, server, left: left(14_200) })[0], 14_200);
});

Deno.test("a table that holds as many sockets in TIME_WAIT as the system keeps is no count", () => {
  const server = { connections: 500, by: "events" as const };
  const full = left(368, { systemTotal: 1000 });
  assertEquals(values({ server, left: full }, { tcpMaxTwBuckets: 1000, tcpTwReuse: 0 }), [500, null, null]);
});

Deno.test("what is not in this machine's table is null with the reason, never 0", () => {
  assertEquals(values({ local: false, opened: 500 }), [500, 500, null]);
  assertEquals(values({ left: "No table here", opened: 500 }), [500, null, null]);
  assertEquals(values({ left: "No table here" }), [null, null, null]);
  assertEquals(values({ left: left(0) })[0], null);
});
