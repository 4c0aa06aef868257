import { assertEquals, assertMatch } from "@std/assert";
import { judge } from "../../record/mod.ts";
import { both, type Change, inRows, runTables, unchanged, verdict, verdicts, view } from "./_made_run.ts";
import experiment from "./mod.ts";

Deno.test("a run as stated bears every claim out", () => {
  assertEquals(verdicts(view(runTables())), ["A7 holds", "A11 holds", "A22 holds", "B7 holds"]);
});

Deno.test("the reason of a verdict names its number, and what is counted", () => {
  const changes: Change[] = [
    unchanged,
    inRows("requests", "http1", { queuedMs: 0, elapsedMs: 505 }),
    inRows("waves", "http1", { connections: 3 }),
    inRows("waves", "http1", { elapsedMs: 2499 }),
    inRows("waves", "burst/raw", { connections: 9 }),
    inRows("waves", "idle-cap/2", { received: 6 }),
    inRows("requests", "idle-cap/2", { reused: null }),
    (row, table) =>
      table === "defaults" && row.setting === "lifetime" ? { ...row, value: "8000", unit: "ms" } : row,
  ];
  for (const change of changes) {
    for (const { id, measured, unit, reason } of judge(experiment.claims!, view(runTables(change)))) {
      if (measured === null) continue;
      const said = new RegExp(
        `(^|[ (])${measured} ${unit === "ms" ? "ms" : "(clients|connections|of the|r)"}`,
      );
      assertMatch(reason!, said, id);
    }
  }
});

Deno.test("the reason of A7 says which settings do not decide, what is stated of them, and what was seen", () => {
  const connecting: Change = (row, table) =>
    table === "defaults" && row.client === "raw" && row.setting === "connect timeout"
      ? { ...row, value: "30000", unit: "ms" }
      : row;
  const { verdict, reason } = judge(experiment.claims!, view(runTables(connecting)))
    .find(({ id }) => id === "A7")!;
  assertEquals(verdict, "holds");
  const [judged, others] = reason!.split("; not judged: ");
  assertMatch(judged!, /^2 clients, .*rotation.*cap.*all that is judged$/);
  assertEquals(
    others,
    "idle timeout (stated: 60 s; fetch not known: Not looked for, raw not known: Not looked for), " +
      "connect timeout (stated: none; fetch none, raw 30000 ms)",
  );
});

Deno.test("A11 differs with other rounds, more connections, or another time than its rounds take", () => {
  assertEquals(verdict("A11", unchanged), "A11 holds");
  const fewer = inRows("requests", "http1", { queuedMs: 0, elapsedMs: 505 });
  assertEquals(verdict("A11", fewer), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { connections: 3 })), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { elapsedMs: 2499 })), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { elapsedMs: 3001 })), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { elapsedMs: 3000 })), "A11 holds");
});

Deno.test("A11 is open where late answers explain another number of rounds, or a longer time", () => {
  /** All on one connection, each as late as that. */
  const uneven = (lateMs: number) =>
    inRows("requests", "http1", ({ order }) => {
      const queuedMs = (order as number) * (500 + lateMs);
      return { connection: 1, queuedMs, elapsedMs: queuedMs + 500 + lateMs };
    });
  assertEquals(verdict("A11", uneven(0)), "A11 differs");
  assertEquals(verdict("A11", uneven(49)), "A11 differs");
  assertEquals(verdict("A11", uneven(50)), "A11 not measured");
  const slow = (lateMs: number) =>
    both(
      inRows("waves", "http1", { elapsedMs: 3100 }),
      inRows("requests", "http1", (row) => (row.order as number) < 8 ? {} : { elapsedMs: 2500 + lateMs }),
    );
  assertEquals(verdict("A11", slow(99)), "A11 differs");
  assertEquals(verdict("A11", slow(100)), "A11 not measured");
  const short = both(slow(100), inRows("waves", "http1", { elapsedMs: 2499 }));
  assertEquals(verdict("A11", short), "A11 differs");
});

Deno.test("A11 needs both protocols, and requests that have to wait", () => {
  assertEquals(verdict("A11", unchanged, { protocol: "http1" }), "A11 not measured");
  assertEquals(verdict("A11", unchanged, { protocol: "http2" }), "A11 not measured");
  assertEquals(verdict("A11", unchanged, { concurrency: 2 }), "A11 not measured");
  assertEquals(verdict("A11", unchanged, { maxConnections: 3 }), "A11 holds");
});

Deno.test("A22 differs when a burst opens another number of connections, with either client", () => {
  assertEquals(verdict("A22", inRows("waves", "burst/raw", { connections: 9 })), "A22 differs");
  assertEquals(verdict("A22", inRows("waves", "burst/fetch", { connections: 11 })), "A22 differs");
  assertEquals(verdict("A22", inRows("waves", "burst/http2", { connections: 1 })), "A22 holds");
  assertEquals(verdict("A22", unchanged, { concurrency: 1 }), "A22 not measured");
  const unseen = inRows("waves", "burst/fetch", { connections: null, connectionsReason: "Nobody counted" });
  assertEquals(verdict("A22", unseen), "A22 not measured");
});

Deno.test("A22 is open where one request of a burst was answered before the last began", () => {
  for (const variant of ["burst/raw", "burst/fetch"]) {
    const late = inRows("requests", variant, (row) => row.order === 9 ? { startMs: 1101 } : {});
    const seen = (connections: number) => both(late, inRows("waves", variant, { connections }));
    assertEquals(verdict("A22", seen(9)), "A22 not measured");
    assertEquals(verdict("A22", seen(10)), "A22 holds");
    assertEquals(verdict("A22", seen(11)), "A22 differs");
  }
});

Deno.test("B7 differs when the sums differ, the healthy pool opens too many, or the capped one too few", () => {
  const reusing = inRows("requests", "idle-cap/2", (row) => ({ ...row, reused: (row.wave as number) > 1 }));
  const counted = (variant: string, connections: number) => inRows("waves", variant, { connections });
  assertEquals(verdict("B7", both(reusing, counted("idle-cap/2", 5))), "B7 differs");
  const dialling = inRows("requests", "idle-cap/healthy", { reused: false });
  assertEquals(verdict("B7", both(dialling, counted("idle-cap/healthy", 20))), "B7 differs");
  for (const alone of [reusing, dialling, counted("idle-cap/2", 13)]) {
    assertEquals(verdict("B7", alone), "B7 not measured");
  }
  assertEquals(verdict("B7", inRows("waves", "idle-cap/2", { received: 6 })), "B7 differs");
  assertEquals(verdict("B7", inRows("requests", "idle-cap/2", { reused: null })), "B7 differs");
  assertEquals(verdict("B7", unchanged, { idlePerHost: 5 }), "B7 not measured");
});

Deno.test("A7 is judged on lifetime and connections, for every client", () => {
  const setting = (client: string, name: string, value: string | null): Change => (row, table) =>
    table === "defaults" && row.client === client && row.setting === name ? { ...row, value } : row;
  assertEquals(verdict("A7", setting("raw", "lifetime", "8000")), "A7 differs");
  assertEquals(verdict("A7", setting("fetch", "connections", "6")), "A7 differs");
  assertEquals(verdict("A7", setting("fetch", "connections", null)), "A7 not measured");
  assertEquals(verdict("A7", setting("fetch", "connect timeout", "1000")), "A7 holds");
  assertEquals(
    verdict("A7", (row, table) => table === "defaults" ? { ...row, client: "raw" } : row),
    "A7 holds",
  );
});
