import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { ColumnTable } from "../../record/mod.ts";
import { inRows, runTables, valueOf, VALUES, verdict, verdicts, view } from "./_made_run.ts";
import experiment from "./mod.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";

/** The origin that speaks HTTP/2, and the relay before its last port. */
const HTTP2 = { hostname: "127.0.0.1", port: 1, ports: [2, 3], pid: 4 };
const RELAYING = "relay 127.0.0.1:3";

Deno.test("summarize() gives rounds, connections and times for each protocol", () => {
  const run = view(runTables());
  for (
    const [name, http1, http2] of [
      ["sent", 10, 10],
      ["received", 10, 10],
      ["rounds", 5, 1],
      ["connections", 2, 1],
      ["elapsedMs", 2505, 505],
      ["queuedMs", 1000, null],
      ["queuedMaxMs", 2000, null],
    ] as const
  ) {
    assertEquals([valueOf(run, name, "http1"), valueOf(run, name, "http2")], [http1, http2], name);
  }
});

Deno.test("summarize() counts the connections of the first wave of a burst", () => {
  const run = view(runTables());
  assertEquals(["burst/raw", "burst/fetch", "burst/http2"].map((one) => valueOf(run, "connections", one)), [
    10,
    10,
    10,
  ]);
});

Deno.test("summarize() tells fresh connections from reused ones under an idle cap", () => {
  const run = view(runTables());
  const of = (variant: string) =>
    ["sent", "fresh", "reused", "ports"].map((name) => valueOf(run, name, variant));
  assertEquals(of("idle-cap/healthy"), [20, 5, 15, 5]);
  assertEquals(of("idle-cap/2"), [20, 14, 6, 14]);
  assertEquals(of("idle-cap/2/free"), [100, 17, 83, 17]);
  assertAlmostEquals(valueOf(run, "freshShare", "idle-cap/2")!, 0.7);
});

Deno.test("what scheduling decides is repeated, and has an interval over its rounds", () => {
  const share = (made: ReturnType<typeof runTables>, variant: string) =>
    view(made).summary.find((metric) => metric.name === "freshShare" && metric.variant === variant)!;
  const free = share(runTables(), "idle-cap/2/free");
  assertAlmostEquals(free.value!, 0.17);
  assert(free.low! >= 0.15 && free.low! < 0.17 && free.high! > 0.17 && free.high! <= 0.25);
  const [bar] = experiment.figures.fresh!(view(runTables())).data.filter(({ name }) => name === free.variant);
  assert(bar!.error_y !== undefined);
  // Every wave in lock step is what the cap makes it: their spread is no uncertainty.
  assertEquals([share(runTables(), "idle-cap/2").low, share(runTables(), "idle-cap/healthy").low], [
    null,
    null,
  ]);
  const failing = share(runTables(inRows("waves", "idle-cap/2/free", { failed: 1 })), "idle-cap/2/free");
  assertEquals([failing.value, failing.low, failing.high], [null, null, null]);
});

Deno.test("a share of one round has no interval", () => {
  const made = runTables();
  const once = { ...made };
  for (const table of ["waves", "requests"] as const) {
    const kept = new ColumnTable(table, tables[table]);
    for (const row of made[table]!.rows()) {
      if (row.variant !== "idle-cap/2/free" || row.wave === 1) kept.add(row);
    }
    once[table] = kept as ColumnTable;
  }
  const metric = view(once).summary.find(({ name, variant }) =>
    name === "freshShare" && variant === "idle-cap/2/free"
  )!;
  assertEquals([metric.value, metric.low, metric.high], [0.25, null, null]);
});

Deno.test("requests that failed, or were refused, leave no times, and a reason", () => {
  const run = view(runTables(inRows("waves", "http1", { failed: 1 })));
  assertEquals(valueOf(run, "elapsedMs", "http1"), null);
  assertEquals(valueOf(run, "rounds", "http1"), null);
  assertEquals(valueOf(run, "elapsedMs", "http2"), 505);
  assertEquals(verdict("A11", inRows("waves", "http1", { failed: 1 })), "A11 not measured");
  const busy = view(runTables(inRows("requests", "idle-cap/2", { status: 503 })));
  assertEquals(valueOf(busy, "freshShare", "idle-cap/2"), null);
  assertEquals(verdict("B7", inRows("waves", "idle-cap/healthy", { failed: 1 })), "B7 not measured");
});

Deno.test("a protocol that the server did not agree on is not measured, with the reason", () => {
  const made = runTables();
  const tablesOfOne = { ...made, waves: new ColumnTable("waves", tables.waves) };
  for (const row of made.waves!.rows()) {
    const refused = row.variant === "http2";
    const reason = "The server agreed on http/1.1, not h2";
    tablesOfOne.waves.add(
      refused
        ? {
          ...row,
          requests: 0,
          elapsedMs: null,
          received: null,
          connections: null,
          connectionsReason: reason,
        }
        : row,
    );
  }
  const run = view(tablesOfOne);
  const { value, reason } = run.summary.find(({ name, variant }) =>
    name === "rounds" && variant === "http2"
  )!;
  assertEquals([value, reason], [null, "The server agreed on http/1.1, not h2"]);
  assertEquals(verdicts(run)[1], "A11 not measured");
});

Deno.test("what fetch hides is not counted: which connection, and what a slow request waited for", () => {
  const several = view(runTables(inRows("waves", "http2", { connections: 2 })));
  assertEquals(valueOf(several, "rounds", "http2"), null);
  const slow = view(runTables(inRows("requests", "http2", { elapsedMs: 1005 })));
  assertEquals(valueOf(slow, "rounds", "http2"), null);
});

Deno.test("claims that have nothing to hold anything against are not measured", () => {
  const none = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  assertEquals(verdicts(view(none)), [
    "A7 not measured",
    "A11 not measured",
    "A22 not measured",
    "B7 not measured",
  ]);
  for (const draw of Object.values(experiment.figures)) {
    assertThrows(() => draw(view(none)), RangeError);
  }
});

Deno.test("rounds has a lane for each connection and a colour for each round", () => {
  const { data, layout } = experiment.figures.rounds!(view(runTables()));
  assertEquals(data.map(({ name }) => name), ["round 1", "round 2", "round 3", "round 4", "round 5"]);
  assertEquals((layout.yaxis as { categoryarray: string[] }).categoryarray, [
    "http1, connection 1",
    "http1, connection 2",
    "http2, connection 1",
  ]);
  assertEquals((data[0]!.y as string[]).filter((lane) => lane.startsWith("http2")).length, 10);
});

Deno.test("a protocol whose lanes are not known is left out of the figure with a note", () => {
  const { layout } = experiment.figures.rounds!(
    view(runTables(inRows("waves", "http2", { connections: 2 }))),
  );
  assertEquals(JSON.stringify(layout.title).includes("no values: http2"), true);
});

Deno.test("figures leave out requests that failed, and say so", () => {
  const failing = inRows(
    "requests",
    "http1",
    (row) => row.order === 9 ? { ...row, connection: null, failureKind: "reset" } : row,
  );
  const run = view(runTables(failing));
  for (const name of ["rounds", "queue"]) {
    const { data, layout } = experiment.figures[name]!(run);
    const heading = JSON.stringify(layout.title).replaceAll("<br>", " ");
    assertEquals(heading.includes("1 requests that failed are left out"), true, name);
    assertEquals(JSON.stringify(data).includes("NaN"), false, name);
  }
});

Deno.test("queue has a lane a request, which waits before it is on a connection", () => {
  const { data } = experiment.figures.queue!(view(runTables()));
  assertEquals(data.map(({ name }) => name), ["queued", "on a connection"]);
  assertEquals(data.map(({ y }) => (y as string[]).length), [10, 10]);
});

Deno.test("fresh has a bar for each idle cap", () => {
  const { data } = experiment.figures.fresh!(view(runTables()));
  assertEquals(data.map(({ name, y }) => [name, y]), [
    ["idle-cap/healthy", [0.25]],
    ["idle-cap/2", [0.7]],
    ["idle-cap/2/free", [0.17]],
  ]);
});

Deno.test("the experiment asks for the origins that its arms need, and has keys for those over TLS", async () => {
  const asked = (protocol: Values["protocol"]) =>
    experiment.servers!({ ...VALUES, protocol }).map(({ as, flags }) =>
      `${as} ${(typeof flags === "function" ? flags({ h2: HTTP2 }) : flags)[1]}`
    );
  assertEquals(asked("both"), ["plain node", "tls node", "h2 deno", RELAYING]);
  assertEquals(asked("http1"), ["plain node", "tls node"]);
  assertEquals(asked("http2"), ["plain node", "h2 deno", RELAYING]);
  const { servers, measure } = await experiment.prepare!({ ...VALUES, protocol: "http1" });
  assertEquals([Object.keys(servers!), Object.keys(measure!)], [["tls"], ["ca"]]);
});

Deno.test("the experiment budgets for more than its responses take", () => {
  assertEquals(experiment.budgetMs(VALUES) > 3000, true);
  assertEquals(experiment.budgetMs({ ...VALUES, observeIdle: 100_000 }) > 103_000, true);
  assertEquals(experiment.connections!(VALUES), 100);
});
