import { assertEquals } from "@std/assert";
import { failure } from "../../record/mod.ts";
import { type Exchange, openClient } from "../../transport/mod.ts";
import { ServerProcess } from "../../testing/mod.ts";
import { exchangeCells } from "./exchange_columns.ts";
import { labelsCell, warnOfLabels } from "./labels.ts";

const FAULTY = new URL("../../../servers/faulty.ts", import.meta.url);

/** An exchange of `raw` over a kept connection. */
const KEPT: Exchange = {
  ...{ startMs: 0, clientMs: null, dnsMs: null, connectMs: null, tlsMs: null, sendMs: 0.1, waitMs: 0.3 },
  ...{ receiveMs: 0.1, elapsedMs: 0.5, status: 200, bodyBytes: 1, localPort: 40_000, connection: 1 },
  ...{ protocol: null, serverCloses: false, failure: null, error: null },
};
const FRESH: Exchange = { ...KEPT, connectMs: 0.2 };
const FETCHED: Exchange = { ...KEPT, connection: null, localPort: null, sendMs: null };
const WAITED: Exchange = { ...KEPT, waitMs: 43 };
const STALE: Exchange = { ...KEPT, receiveMs: null, status: null, failure: failure("wait", "reset") };

function warningsOf(exchanges: readonly Exchange[]): string[] {
  const codes: string[] = [];
  warnOfLabels(exchanges, { warn: ({ code }) => void codes.push(code) });
  return codes;
}

Deno.test("labelsCell knows reuse from the client that made the exchange", () => {
  assertEquals([KEPT, FRESH, FETCHED].map(labelsCell), [null, null, null]);
  assertEquals([WAITED, STALE].map(labelsCell), ["delayed-ack", "stale-reuse"]);
  assertEquals(labelsCell({ ...FRESH, connectMs: 1020 }), "syn-repeated");
  // On a new connection it is the server that takes its time, and a reset is no stale reuse.
  assertEquals([{ ...WAITED, connectMs: 0.2 }, { ...STALE, connectMs: 0.2 }].map(labelsCell), [null, null]);
  assertEquals([{ ...FETCHED, waitMs: 43 }, { ...STALE, connection: null }].map(labelsCell), [null, null]);
  const pooled = {
    ...{ ageMs: 5, idleMs: 5, queuedMs: 0, address: "127.0.0.1", attempts: 1, failedAttempts: [] },
  };
  assertEquals(labelsCell({ ...WAITED, ...pooled, reused: true }), "delayed-ack");
  assertEquals(labelsCell({ ...WAITED, ...pooled, reused: false }), null);
});

Deno.test("warnOfLabels tells each label once, and a delayed ACK on evidence only", () => {
  assertEquals(warningsOf([]), []);
  assertEquals(warningsOf([FRESH, STALE, FRESH, STALE, { ...FRESH, connectMs: 2030 }]), [
    "stale-reuse",
    "syn-repeated",
  ]);
  assertEquals(warningsOf([FRESH, WAITED, WAITED]), []);
  assertEquals(warningsOf([FRESH, ...new Array<Exchange>(10).fill(WAITED)]), ["delayed-ack"]);
});

Deno.test("rows of raw over a server that is at fault have the label, and the run its warning", async () => {
  await using server = await ServerProcess.start(FAULTY, {
    flags: ["--behaviour", "reads-and-closes", "--responses", "1", "--end", "reset"],
  });
  using client = openClient("raw/shared", server.announcement);
  const made = [await client.request(), await client.request()];
  assertEquals(made.map((exchange) => exchangeCells(exchange).labels), [null, "stale-reuse"]);
  assertEquals(warningsOf(made), ["stale-reuse"]);
});
