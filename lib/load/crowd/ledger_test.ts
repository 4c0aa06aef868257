import { assertEquals } from "@std/assert";
import { Ledger } from "./ledger.ts";

const NOTHING = {
  openMs: null,
  connectMs: null,
  closedMs: null,
  status: null,
  sentBytes: 0,
  phase: null,
  failure: null,
  side: null,
};

Deno.test("Ledger tells what became of each connection", () => {
  const ledger = new Ledger(5, { shard: 3 });
  const [answered, refused, ended, reset] = [1, 2, 3, 4].map((nowMs) => ledger.begin(nowMs));
  assertEquals(ledger.opening, 4);
  ledger.connected(answered!, 1.5);
  ledger.sent(answered!, 45);
  ledger.answered(answered!, 200);
  ledger.opened(answered!, 2);
  ledger.failed(refused!, "connect", "refused");
  for (const connection of [ended!, reset!]) ledger.opened(connection, 5);
  ledger.closed(ended!, 6, null);
  ledger.closed(reset!, 7, "reset");
  assertEquals(ledger.counts, { begun: 4, opened: 3, failed: 1, open: 1, closed: 2 });
  assertEquals([ledger.opening, ledger.isSettled], [0, false]);
  const row = (connection: number) => ({ shard: 3, connection, startMs: connection + 1, ...NOTHING });
  assertEquals(ledger.rows(), [
    { ...row(0), openMs: 2, connectMs: 0.5, status: 200, sentBytes: 45 },
    { ...row(1), phase: "connect", failure: "refused", side: "server" },
    { ...row(2), openMs: 5, closedMs: 6 },
    { ...row(3), openMs: 5, closedMs: 7, phase: "wait", failure: "reset", side: "server" },
  ]);
});

Deno.test("Ledger does not tell what its client does not see", () => {
  const ledger = new Ledger(1, { seesEnds: false });
  ledger.opened(ledger.begin(0), 1);
  assertEquals(ledger.counts, { begun: 1, opened: 1, failed: 0, open: null, closed: null });
  assertEquals(ledger.isSettled, true);
});
