import { assertEquals } from "@std/assert";
import { failure, type FailureName } from "../../record/mod.ts";
import type { Exchange } from "../../transport/mod.ts";
import { type Asked, cellOf, type CellRow, type Pair, pairRow } from "./cell.ts";
import { type FlowRecord, joiner, type Visit } from "./fate.ts";
import { type Arm, type ChainName, type ClientName } from "./grid.ts";

function exchange(startMs: number, failed: FailureName | null = null): Exchange {
  return {
    ...{ startMs, clientMs: null, dnsMs: null, connectMs: null, tlsMs: null, sendMs: 0, waitMs: 1 },
    ...{ receiveMs: 0, elapsedMs: 1, status: failed === null ? 200 : null, bodyBytes: 0, localPort: null },
    ...{ protocol: null, connection: null, serverCloses: false, error: null },
    failure: failed === null ? null : failure("wait", failed),
  };
}

function arm(chain: ChainName, client: ClientName): Arm {
  return { variant: `${chain}/${client}/GET`, chain, client, method: "GET", clientIdleMs: 30_000 };
}

const FETCHED = { attempts: null, reused: null, ageMs: null };

function pair(from: Arm, second: Partial<Asked> = {}, changes: Partial<Pair> = {}): Pair {
  const first: Asked = { exchange: exchange(0), attempts: 1, reused: false, ageMs: null };
  return {
    ...{ arm: from, pauseMs: 5000, repeat: 1, id: 2, first },
    ...{ noticed: from.client === "fetch" ? null : "none" },
    second: { exchange: exchange(5001), attempts: 1, reused: true, ageMs: 5001, ...second },
    ...changes,
  } as Pair;
}

const visit = (id: number, connection: number): Visit => ({
  ...{ id, method: "GET", connection, clientPort: 1000 + connection, atMs: 0 },
});

function flow(connection: number, changes: Partial<FlowRecord> = {}): FlowRecord {
  return {
    ...{ clientPort: 1, upstreamPort: 1000 + connection, openedMs: 0, lastMs: 1, forgottenMs: null },
    ...{ closedBy: null, how: null, bytesUp: 1, bytesDown: 1 },
    ...changes,
  };
}

/** What both ends saw of a pair. */
function seen(visits: Visit[], flows: FlowRecord[], made: Pair): CellRow {
  const row = pairRow(made);
  return cellOf(row, joiner({ visits, flows })(row, made.arm.clientIdleMs));
}

const FORGOTTEN = { forgottenMs: 2001, closedBy: "middlebox", how: "reset" };

Deno.test("a pair over one connection is reused, and has its idle time from the end of the first request", () => {
  const cell = seen([visit(1, 1), visit(2, 1)], [], pair(arm("direct", "raw/never")));
  const { outcome, idleMs, firstReceived, received, closedBy, forgotten } = cell;
  assertEquals([outcome, idleMs, firstReceived, received], ["reused", 5000, 1, 1]);
  assertEquals([closedBy, forgotten], [null, null]);
});

Deno.test("what became of a connection after the second request had come over it is no end that it met", () => {
  const made = pair(arm("middlebox", "raw/never"));
  const visits = [visit(1, 7), visit(2, 7)];
  for (const end of [FORGOTTEN, { closedBy: "server", how: "fin" }]) {
    const { outcome, forgotten, closedBy, closedHow } = seen(visits, [flow(7, end)], made);
    assertEquals([outcome, forgotten, closedBy, closedHow], ["reused", false, null, null]);
  }
});

Deno.test("an end that the client saw is the server's, and the request goes over a new connection", () => {
  const late = pair(arm("direct", "raw/never"), { reused: false, ageMs: null }, { noticed: "fin" });
  const cell = seen([visit(1, 1), visit(2, 2)], [], late);
  assertEquals([cell.outcome, cell.closedBy, cell.closedHow], ["new connection", "server", "fin"]);
});

Deno.test("a connection that nobody ended and that was not used again had expired at the client", () => {
  const own = { ...arm("tuned", "raw/never"), clientIdleMs: 1000 };
  const cell = seen([visit(1, 1), visit(2, 2)], [], pair(own, { reused: false, ageMs: null }));
  assertEquals([cell.outcome, cell.closedBy], ["new connection", "client"]);
});

Deno.test("a request that was lost at the middlebox has what both ends and the middlebox saw of it", () => {
  const lost = pair(arm("middlebox", "raw/never"), { exchange: exchange(5001, "reset") });
  const cell = seen([visit(1, 7)], [flow(6), flow(7, FORGOTTEN)], lost);
  assertEquals([cell.outcome, cell.received, cell.reused], ["reset", 0, true]);
  assertEquals([cell.forgotten, cell.closedBy, cell.closedHow], [true, "middlebox", "reset"]);
});

Deno.test("fetch has sent a request again when it came over another connection for no reason that fetch was told", () => {
  const made = pair(arm("middlebox", "fetch"), FETCHED);
  const outcome = (visits: Visit[], flows: FlowRecord[]) => {
    const { retried, received, outcome } = seen(visits, flows, made);
    return [retried, received, outcome];
  };
  const elsewhere = [visit(1, 7), visit(2, 8)];
  assertEquals(outcome(elsewhere, [flow(7, FORGOTTEN)]), [1, 1, "sent again"]);
  assertEquals(outcome(elsewhere, [flow(7, { ...FORGOTTEN, how: "none" })]), [1, 1, "sent again"]);
  assertEquals(outcome(elsewhere, [flow(7, { ...FORGOTTEN, how: "fin" })]), [0, 1, "new connection"]);
  assertEquals(outcome(elsewhere, [flow(7, { closedBy: "server", how: "fin" })]), [0, 1, "new connection"]);
  assertEquals(outcome([visit(1, 7), visit(2, 7)], [flow(7)]), [0, 1, "reused"]);
  assertEquals(outcome([visit(1, 7), visit(2, 7), visit(2, 8)], [flow(7)]), [1, 2, "received twice"]);
});

Deno.test("fetch has not sent a request again when its own timeout explains the other connection", () => {
  const own = { ...arm("middlebox", "fetch"), clientIdleMs: 4000 };
  const cell = seen([visit(1, 7), visit(2, 8)], [flow(7, FORGOTTEN)], pair(own, FETCHED));
  assertEquals([cell.retried, cell.outcome], [0, "new connection"]);
});

Deno.test("without an answer to the first request there is no pair", () => {
  const alone = pair(arm("direct", "fetch"), {}, {
    first: { exchange: exchange(0, "refused"), ...FETCHED },
    second: null,
  });
  const cell = seen([], [], alone);
  assertEquals([cell.outcome, cell.firstFailureKind, cell.idleMs, cell.startMs], [
    "no pair",
    "refused",
    null,
    null,
  ]);
});

Deno.test("a pair whose other ends could not be asked has what its client saw, and the rest is not known", () => {
  const lost = pair(arm("middlebox", "raw/never"), { exchange: exchange(5001, "reset") });
  const { failureKind, reused, idleMs, received, retried, forgotten, outcome } = cellOf(pairRow(lost));
  assertEquals([failureKind, reused, idleMs], ["reset", true, 5000]);
  assertEquals([received, retried, forgotten, outcome], [null, null, null, null]);
});
