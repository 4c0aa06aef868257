import { assertEquals, assertStringIncludes } from "@std/assert";
import { ColumnTable } from "../../record/mod.ts";
import { ENDED_BY_CLIENT, isPlain, reason, verdict, view } from "./_testing.ts";
import type { CellRow } from "./cell.ts";
import { type Values } from "./params.ts";

Deno.test("what was stated holds in a run as it should be", () => {
  const run = view();
  assertEquals(["A8", "A9", "A10"].map((id) => verdict(run, id)), ["holds", "holds", "holds"]);
  assertStringIncludes(
    reason(run, "A9"),
    "direct racy at the server, middlebox unsafe at the middlebox, tuned safe",
  );
  assertStringIncludes(
    reason(run, "A10"),
    "12 of 12 requests were answered on a new connection at the first attempt (server 5 s, client 30 s, pause 10 s). " +
      "All 6 variants: new connection, 2 of 2, not retried",
  );
});

Deno.test("A8 differs when a shorter pause fails, a longer one does not, or not with a reset", () => {
  const lost = { failureKind: "reset", received: 0 };
  const early = view({}, (cell) => isPlain(cell) && cell.pauseMs === 1600 ? lost : {});
  assertEquals([verdict(early, "A8"), reason(early, "A8")], [
    "differs",
    "4 of 12 requests failed after a shorter pause",
  ]);
  const late = view(
    {},
    (cell) => isPlain(cell) && cell.pauseMs === 4000 ? { failureKind: null, received: 1 } : {},
  );
  assertEquals(verdict(late, "A8"), "differs");
  const silent = view({}, (cell) => cell.failureKind === "reset" ? { failureKind: "timed-out" } : {});
  assertEquals(verdict(silent, "A8"), "differs");
  assertStringIncludes(reason(silent, "A8"), "but as timed-out");
});

Deno.test("A8 does not judge a pause at the limit, where timers decide", () => {
  const pauses = [1000, 2010, 4000];
  const run = view({ pauses }, (cell) => cell.pauseMs === 2010 ? { failureKind: null, received: 1 } : {});
  assertEquals(verdict(run, "A8"), "holds");
});

Deno.test("A8 is not measured without what it is about, and says which parameter would", () => {
  const told = (changes: Partial<Values>) => {
    const run = view(changes);
    return [verdict(run, "A8"), /--[a-z-]+/.exec(reason(run, "A8"))?.[0]];
  };
  assertEquals(told({ middleboxIdle: null }), ["not measured", "--middlebox-idle"]);
  assertEquals(told({ forget: "fin" }), ["not measured", "--forget"]);
  assertEquals(told({ forget: "silent" }), ["not measured", "--forget"]);
  assertEquals(told({ serverIdle: 1500 }), ["not measured", "--server-idle"]);
  assertEquals(told({ pauses: [1000] }), ["not measured", "--pauses"]);
});

Deno.test("A9 differs when what was measured is not what the limits say", () => {
  const lucky = view({}, (cell) => isPlain(cell) ? { failureKind: null, received: 1 } : {});
  assertEquals(verdict(lucky, "A9"), "differs");
  assertStringIncludes(reason(lucky, "A9"), "middlebox: unsafe by its limits (middlebox), measured safe");
  const elsewhere = view({}, (cell) => cell.forgotten ? { forgotten: false } : {});
  assertStringIncludes(reason(elsewhere, "A9"), "measured unsafe (server)");
});

Deno.test("A9 is not measured where no pause was long enough for a hop to end a connection", () => {
  for (const pauses of [[500], [500, 5500], [500, 6010]]) {
    assertEquals(verdict(view({ pauses }), "A9"), "not measured", `${pauses}`);
  }
});

Deno.test("A9 is not measured where the client's limit is about that of a hop: no pair runs their race", () => {
  const limits = [
    { serverIdle: 100, clientIdle: 100, middleboxIdle: 100 },
    { serverIdle: 2000, clientIdle: 2000, middleboxIdle: null },
    { serverIdle: 2000, clientIdle: 1900, middleboxIdle: null },
    // node:http closes a second later than it says, and after this client.
    { serverIdle: 2000, clientIdle: 2500, middleboxIdle: null },
  ];
  for (const given of limits) {
    const run = view(
      given,
      ({ pauseMs }) =>
        pauseMs! > given.clientIdle
          ? { ...ENDED_BY_CLIENT, noticed: "none", failureKind: null, received: 1, retried: 0 }
          : {},
    );
    assertEquals(verdict(run, "A9"), "not measured", JSON.stringify(given));
    assertStringIncludes(
      reason(run, "A9"),
      "direct: The client gives connections up about when a hop ends them",
    );
  }
});

Deno.test("A9 takes a request that the server received, or that failed on a new connection, for no loss", () => {
  const late = { failureKind: "timed-out", received: 1 };
  const refused = { failureKind: "refused", received: 0, reused: false };
  for (const failed of [late, refused]) {
    const run = view(
      {},
      ({ variant, pauseMs }) => variant === "tuned/raw/never/GET" && pauseMs === 4000 ? failed : {},
    );
    assertEquals(verdict(run, "A9"), "holds");
  }
});

Deno.test("A10 differs when a late request fails or is sent again, and names variants that met the same together", () => {
  const late = (variant: string, fate: Partial<CellRow>) =>
    view({}, (cell) => cell.variant === `direct/${variant}` && cell.pauseMs === 10_000 ? fate : {});
  const lost = late("fetch/POST", { reused: true, failureKind: "reset", received: 0 });
  assertEquals(verdict(lost, "A10"), "differs");
  assertStringIncludes(
    reason(lost, "A10"),
    "10 of 12 requests were answered on a new connection at the first attempt (server 5 s, client 30 s, pause 10 s). " +
      "fetch GET, raw/never GET, raw/never POST, raw/retry GET, raw/retry POST: new connection, 2 of 2, not retried; " +
      "fetch POST: reset, 2 of 2, received 0 times, not retried",
  );
  const again = late("raw/retry/GET", { reused: true, retried: 1 });
  assertEquals(verdict(again, "A10"), "differs");
  assertStringIncludes(reason(again, "A10"), "raw/retry GET: sent again, 2 of 2, retried 2 times");
});

Deno.test("A9 says what it counts", () => {
  assertStringIncludes(reason(view(), "A9"), "All 3 chains were measured as their limits say: direct racy");
});

Deno.test("A10 is not measured without a pause between the server's end and the client's", () => {
  assertEquals(verdict(view({ pauses: [1000, 4000] }), "A10"), "not measured");
  assertEquals(verdict(view({ stack: "deno" }), "A10"), "not measured");
});

Deno.test("no claim is judged when the counts of both ends do not add up", () => {
  const run = view();
  (run.tables.visits as ColumnTable).add({
    id: 99_999,
    method: "GET",
    connection: 1,
    clientPort: 1,
    atMs: 0,
  });
  assertEquals(["A8", "A9", "A10"].map((id) => verdict(run, id)), Array(3).fill("not measured"));
  assertStringIncludes(reason(run, "A8"), "request 99999, which no pair has sent");
});
