import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { ColumnTable, judge, type Metric, type Row, type RunView, type TableData } from "../../record/mod.ts";
import { armsOf } from "./arms.ts";
import experiment from "./mod.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";

const VALUES: Values = {
  ...{ maxConnections: 2, concurrency: 10, responseTime: 500, protocol: "both", idlePerHost: 2 },
  ...{ workers: 5, requestsPerWorker: 4, observeIdle: 0, stack: "node" },
};

/** The origin that speaks HTTP/2, and the relay before its last port. */
const HTTP2 = { hostname: "127.0.0.1", port: 1, ports: [2, 3], pid: 4 };
const RELAYING = "relay 127.0.0.1:3";

type Change = (row: Row, table: string) => Row;

/** Tables of a run as it should be, then changed. */
function runTables(change: Change = (row) => row, values: Values = VALUES): Record<string, ColumnTable> {
  const made = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  const add = (table: string, row: Row) => made[table]!.add(change(row, table));
  for (const arm of armsOf(values)) {
    const { variant, client, protocol, concurrency, maxConnections, maxIdle } = arm;
    const isFree = arm.requestsPerWorker > 1;
    let connections = 0;
    for (let wave = 1; wave <= arm.waves; wave++) {
      const total = concurrency * arm.requestsPerWorker;
      const kept = wave === 1 ? 0 : Math.min(maxIdle ?? concurrency, concurrency);
      const fresh = protocol === "h2" && arm.warm
        ? 1
        : Math.min(maxConnections ?? concurrency, concurrency) - kept;
      for (let order = 0; order < total; order++) {
        const round = maxConnections === null ? 0 : Math.floor(order / maxConnections);
        const isRaw = client === "raw";
        add("requests", {
          ...{
            variant,
            wave,
            order,
            startMs: 1000,
            elapsedMs: (round + 1) * arm.responseMs,
            status: 200,
          },
          connection: isRaw ? connections + 1 + order % (maxConnections ?? concurrency) : null,
          clientPort: isRaw ? 40_000 + connections + Math.min(order, fresh - 1) : null,
          reused: isRaw ? order >= fresh : null,
          queuedMs: isRaw ? round * arm.responseMs : null,
        });
      }
      connections += fresh;
      add("waves", {
        ...{ variant, client, protocol, wave, startMs: 0, requests: total, failed: 0, received: total },
        elapsedMs: (isFree ? 1 : Math.ceil(concurrency / (maxConnections ?? concurrency))) * arm.responseMs +
          5,
        ...{ connections, connectionsReason: null },
      });
    }
  }
  for (const client of ["fetch", "raw"]) {
    for (
      const setting of ["lifetime", "idle timeout", "connect timeout", "connections", "idle connections"]
    ) {
      const known = setting !== "idle timeout";
      add("defaults", {
        ...{ client, setting, value: known ? "none" : null, unit: null },
        ...{ how: known ? "observed" : null, reason: known ? "Not seen" : "Not looked for" },
      });
    }
  }
  return made;
}

function view(made: Record<string, TableData>, values: Values = VALUES): RunView {
  const summary: readonly Metric[] = experiment.summarize(made, values, 1);
  return {
    ...{ id: "pool-limits/x", status: "complete", seed: 1, summary, claims: [], warnings: [] },
    ...{ environment: null, tables: made, value: () => null },
    ...{ params: {}, values: { ...values } },
  };
}

function verdicts(run: RunView): string[] {
  return judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
}

function verdict(id: string, change: Change, changed: Partial<Values> = {}): string {
  const values = { ...VALUES, ...changed };
  return verdicts(view(runTables(change, values), values)).find((one) => one.startsWith(`${id} `))!;
}

function valueOf(run: RunView, name: string, variant: string): number | null {
  return run.summary.find((metric) => metric.name === name && metric.variant === variant)!.value;
}

/** A change to the rows of one variant in one table. */
function inRows(table: string, variant: string, change: Row | ((row: Row) => Row)): Change {
  return (row, name) => {
    if (name !== table || row.variant !== variant) return row;
    return { ...row, ...(typeof change === "function" ? change(row) : change) };
  };
}

const unchanged: Change = (row) => row;

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
  assertEquals(of("idle-cap/2/free"), [20, 5, 15, 5]);
  assertAlmostEquals(valueOf(run, "freshShare", "idle-cap/2")!, 0.7);
});

Deno.test("a run as stated bears every claim out", () => {
  assertEquals(verdicts(view(runTables())), ["A7 holds", "A11 holds", "A22 holds", "B7 holds"]);
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

Deno.test("A11 differs with other rounds, more connections, or another time than its rounds take", () => {
  assertEquals(verdict("A11", unchanged), "A11 holds");
  const fewer = inRows("requests", "http1", { queuedMs: 0, elapsedMs: 505 });
  assertEquals(verdict("A11", fewer), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { connections: 3 })), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { elapsedMs: 2499 })), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { elapsedMs: 3001 })), "A11 differs");
  assertEquals(verdict("A11", inRows("waves", "http1", { elapsedMs: 3000 })), "A11 holds");
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

Deno.test("B7 differs when the sums differ, the healthy pool opens too many, or the capped one too few", () => {
  const reusing = inRows("requests", "idle-cap/2", (row) => ({ ...row, reused: (row.wave as number) > 1 }));
  assertEquals(verdict("B7", reusing), "B7 differs");
  assertEquals(verdict("B7", inRows("requests", "idle-cap/healthy", { reused: false })), "B7 differs");
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
    ["idle-cap/2/free", [0.25]],
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
  assertEquals(experiment.connections!(VALUES), 20);
});
