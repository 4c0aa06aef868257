import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  ColumnTable,
  judge,
  MisuseError,
  resolveParams,
  type Row,
  type RunView,
  type TableData,
} from "../../record/mod.ts";
import type { ServerSpec } from "../contract.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { tables } from "./tables.ts";

type Name = keyof typeof tables;
type Rows = Record<Name, Row[]>;

/** Successful responses per second in round 1, to which each round adds one per mille. */
const RATES = { direct: 20_000, naive: 2000, pooled: 8000 } as const;

function load(variant: string, path: string, clients: number, changes: Row = {}): Row {
  return {
    ...{ variant, path, clients, round: 1, place: 0, sent: 0, unsent: 0, answered2xx: 0, answeredOther: 0 },
    ...{ failed: 0, unfinished: 0, opened: clients, elapsedMs: 1000, cpuShare: 0.5, waitShare: 0 },
    ...changes,
  };
}

function proxy(variant: string, changes: Row = {}): Row {
  const none = { staleWrites: 0, staleReads: 0, retriedWrites: 0, retriedReads: 0 };
  return {
    variant,
    round: 1,
    requests: 0,
    passed: 0,
    opened: 1,
    failedToOpen: 0,
    reused: 0,
    ...none,
    ...changes,
  };
}

/** A round after a pause: what the proxy met, and what came to its clients. */
function pauses(variant: string, staleWrites: number, staleReads: number, retried: boolean): [Row, Row] {
  const failed = retried ? 0 : staleWrites + staleReads;
  const again = { retriedWrites: retried ? staleWrites : 0, retriedReads: retried ? staleReads : 0 };
  return [
    { variant, round: 2, pauseMs: 300, requests: 4, answered: 4 - failed, failed },
    proxy(variant, { staleWrites, staleReads, ...again }),
  ];
}

/** The histogram of one response that took 1 ms. */
const SERVICE = "HISTFAAAACN4nJNpmSzMwMDAzMDAwAilQQDEZmBgUBeA8c/zMwEAO0oCZw==";

const WANT_OF_PORTS = {
  failurePhase: "connect",
  failureKind: "local-ports-exhausted",
  failureSide: "client",
};

/** The rows of a run as it should be: of 2000 requests over 1000 ports half fail, and pooled is 4 and 5 times naive. */
function runRows(): Rows {
  const rows = Object.fromEntries(Object.keys(tables).map((name) => [name, []])) as unknown as Rows;
  for (const clients of [100, 200]) {
    for (const [path, rate] of Object.entries(RATES)) {
      const variant = `${path}/${clients}`;
      const factor = path === "pooled" && clients === 200 ? 1.25 : 1;
      for (let round = 1; round <= 6; round++) {
        const answered2xx = Math.round(rate * factor * (1 + round / 1000));
        rows.loads.push(load(variant, path, clients, { round, sent: answered2xx, answered2xx }));
        rows.seconds.push({ variant, round, second: 0, answered2xx, service: "" });
      }
      if (path !== "direct") rows.proxies.push(proxy(variant, { opened: clients }));
    }
  }
  const short = { sent: 2000, opened: 20 };
  rows.loads.push(load("shortage/naive", "naive", 20, { ...short, answered2xx: 1000, answeredOther: 1000 }));
  rows.loads.push(load("shortage/pooled", "pooled", 20, { ...short, answered2xx: 2000 }));
  for (const variant of ["shortage/naive", "shortage/pooled"]) {
    const planned = { ratePerSecond: 2000, durationMs: 1000, systemPorts: 28_232 };
    rows.shortages.push({ variant, ports: 1000, timeWaitMs: 60_000, ...planned });
    rows.proxies.push(proxy(variant));
    rows.seconds.push({ variant, round: 1, second: 0, answered2xx: 1000, service: "" });
    for (const [loadedMs, count] of [[0, 1], [500, 20]] as const) {
      const state = variant === "shortage/naive" ? "TIME_WAIT" : "ESTABLISHED";
      rows.sockets.push({ variant, loadedMs, hop: "proxy-backend", end: "near", state, count });
    }
  }
  const outcome = { variant: "shortage/naive", requests: 1000, firstMs: 0, lastMs: 1, failureKind: null };
  rows.outcomes.push({ ...outcome, order: 0, status: 200 }, { ...outcome, order: 1000, status: 503 });
  rows.outcomes.push({ ...outcome, variant: "shortage/pooled", requests: 2000, order: 0, status: 200 });
  rows.failures.push({ variant: "naive/100", round: 0, seenBy: "proxy", ...WANT_OF_PORTS, count: 5 });
  rows.failures.push({ variant: "shortage/naive", round: 1, seenBy: "proxy", ...WANT_OF_PORTS, count: 1000 });
  for (
    const [variant, writes, retried] of [["stale/retry-on", 2, true], ["stale/retry-off", 1, false]] as const
  ) {
    const [paused, counted] = pauses(variant, writes, 2, retried);
    rows.pauses.push(paused);
    rows.proxies.push(counted);
  }
  for (let requests = 1; requests <= 5; requests++) {
    const connections = { clientConnections: requests, backendConnections: 1 };
    rows.hops.push({ variant: "five/pooled", requests, status: 200, ...connections });
  }
  rows.proxies.push(proxy("five/pooled"));
  return rows;
}

/** A run with some of the rows changed, or left out where a change gives `null`. */
function view(change: (row: Row, table: Name) => Row | null = (row) => row): RunView<Values> {
  const made: Record<string, TableData> = {};
  for (const [name, rows] of Object.entries(runRows()) as [Name, Row[]][]) {
    const table = new ColumnTable(name, tables[name]);
    for (const row of rows) {
      const changed = change(row, name);
      if (changed !== null) table.add(changed);
    }
    made[name] = table;
  }
  const { values, json } = resolveParams(params, {});
  return {
    ...{
      id: "proxy-pooling/x",
      status: "complete",
      seed: 1,
      params: json,
      values: values as Values,
      tables: made,
    },
    ...{ summary: experiment.summarize(made, values, 1), claims: [], warnings: [], environment: null },
    value: () => null,
  };
}

/** The changes that are about the columns of a row. */
function known(row: Row, changes: Row): Row {
  return Object.fromEntries(Object.entries(changes).filter(([column]) => column in row));
}

const isOf = (row: Row, variant: string) => row.variant === variant;

function metricOf({ summary }: RunView<Values>, name: string, variant: string) {
  return summary.find((metric) => metric.name === name && metric.variant === variant);
}

const valueOf = (run: RunView<Values>, name: string, variant: string) => metricOf(run, name, variant)?.value;

function verdictOf(run: RunView<Values>, id: string): [verdict: string, reason: string] {
  const { verdict, reason } = judge(experiment.claims!, run).find((claim) => claim.id === id)!;
  return [verdict, reason!];
}

Deno.test("summarize() gives rates over rounds, ratios over pairs of rounds, and counts by kind and side", () => {
  const run = view();
  assertEquals(["100", "200"].map((clients) => valueOf(run, "throughputRatio", clients)), [4, 5]);
  assertEquals(metricOf(run, "throughputRatio", "100")?.low, 4);
  assertEquals(valueOf(run, "pooledShareOfDirect", "100"), 0.4);
  assertEquals(valueOf(run, "failedShare", "shortage/naive"), 0.5);
  assertEquals(valueOf(run, "predictedFailedShare", "shortage/naive"), 0.5);
  assertEquals(valueOf(run, "localPortsExhaustedClient", "shortage/naive"), 1000);
  // What fails while code is warmed up is not counted.
  assertEquals(metricOf(run, "localPortsExhaustedClient", "naive/100"), undefined);
  assertEquals(valueOf(run, "successesBeforeFailure", "shortage/naive"), 1000);
  assertEquals(metricOf(run, "successesBeforeFailure", "shortage/pooled")?.reason, "No request failed");
  assertEquals(valueOf(run, "backendConnections", "naive/200"), 200);
  assertEquals(["retry-on", "retry-off"].map((way) => valueOf(run, "retried", `stale/${way}`)), [4, 0]);
  assertEquals(["clientConnections", "backendConnections"].map((name) => valueOf(run, name, "five/pooled")), [
    5,
    1,
  ]);
  assertEquals(metricOf(run, "serviceP50Ms", "direct/100")?.reason, "No request was answered");
});

Deno.test("summarize() keeps the client's own failures apart from those of the proxy behind which it stands", () => {
  const seenByClient = (variant: string) =>
    view((row, table) => table === "failures" ? { ...row, variant, round: 1, seenBy: "client" } : row);
  const proxied = seenByClient("shortage/naive");
  assertEquals(valueOf(proxied, "localPortsExhaustedClientBeforeProxy", "shortage/naive"), 1005);
  assertEquals(metricOf(proxied, "localPortsExhaustedClient", "shortage/naive"), undefined);
  assertEquals(valueOf(seenByClient("direct/100"), "localPortsExhaustedClient", "direct/100"), 1005);
});

Deno.test("summarize() gives no time where those of refusals are in it, as they are quick", () => {
  const timeOf = (variant: string) => {
    const { value, reason } = metricOf(timed, "serviceP50Ms", variant)!;
    return [value === null, reason];
  };
  const timed = view((row, table) => table === "seconds" ? { ...row, service: SERVICE } : row);
  assertEquals(timeOf("pooled/100"), [false, null]);
  assertEquals(timeOf("shortage/naive"), [
    true,
    "The times of 1000 answers that are no success are among those of the others",
  ]);
});

Deno.test("summarize() predicts for all ports of the system at the rate that was measured", () => {
  const run = view();
  const rate = valueOf(run, "requestsPerSecond", "naive/100")!;
  assertEquals(valueOf(run, "portsLastMs", "machine/100"), 28_232 / rate * 1000);
  assertEquals(valueOf(run, "predictedFailedShare", "machine/100"), 1 - 28_232 / (rate * 60));
});

Deno.test("what was not measured has a reason: no round of both, no answer in a round, no counts of a proxy", () => {
  const apart = view((row, table) =>
    table === "loads" && isOf(row, "naive/100") ? { ...row, round: row.round as number + 10 } : row
  );
  assertMatch(metricOf(apart, "throughputRatio", "100")!.reason!, /no round of both/);
  const dead = view((row, table) =>
    table === "loads" && isOf(row, "naive/100") && row.round === 3 ? { ...row, answered2xx: 0 } : row
  );
  assertMatch(metricOf(dead, "throughputRatio", "100")!.reason!, /naive\/100 answered no request in round 3/);
  assertEquals(verdictOf(dead, "D1")[0], "not measured");
  const silent = view((row, table) => table === "proxies" ? null : row);
  assertMatch(metricOf(silent, "backendConnections", "pooled/100")!.reason!, /before the proxy was asked/);
});

Deno.test("a run as it should be bears every claim out, with its figures", () => {
  const run = view();
  assertEquals(judge(experiment.claims!, run).map(({ id, verdict, measured }) => [id, verdict, measured]), [
    ["D1", "holds", 5],
    ["D2", "holds", 0.5],
    ["D3", "holds", 1],
    ["D4", "holds", 4],
  ]);
  assertMatch(verdictOf(run, "D1")[1], /4\.00 times .* at 100 clients, 5\.00 times .* at 200 clients/);
  assertMatch(
    verdictOf(run, "D2")[1],
    /50\.0 % failed, 50\.0 % predicted of 1000 ports; 1000 succeeded before/,
  );
});

Deno.test("D1 differs where the ratio does not grow, or the pool is no gain, and tells nothing of noise", () => {
  const scaled = (factorOf: (row: Row) => number) =>
    view((row, table) => {
      if (table !== "loads" || !isOf(row, "pooled/200")) return row;
      return { ...row, answered2xx: row.answered2xx as number * factorOf(row) };
    });
  assertMatch(
    verdictOf(scaled(() => 0.7), "D1").join(),
    /^differs,The gain is no greater with more clients: 4\.00/,
  );
  assertMatch(verdictOf(scaled(() => 0.1), "D1").join(), /^differs,The pool is no gain/);
  const noisy = scaled(({ round }) => round as number % 2 === 0 ? 1.2 : 0.4);
  assertMatch(verdictOf(noisy, "D1").join(), /^not measured,The rounds do not tell whether it grows/);
  const few = view((row, table) => table === "loads" && row.round as number > 2 ? null : row);
  assertMatch(verdictOf(few, "D1").join(), /^not measured,There are too few rounds/);
  const fewer = view((row) => row.clients === 200 ? null : row);
  assertMatch(verdictOf(fewer, "D1").join(), /^not measured,It takes both numbers of clients/);
});

Deno.test("D2 differs where another share fails, or anything for another reason, or with the pool", () => {
  const changed = (name: Name, variant: string, changes: Row) =>
    verdictOf(
      view((row, table) => table === name && isOf(row, variant) ? { ...row, ...changes } : row),
      "D2",
    );
  const short = "shortage/naive";
  const fewer = verdictOf(
    view((row, table) => {
      if (!isOf(row, short)) return row;
      if (table === "loads") return { ...row, answered2xx: 1200, answeredOther: 800 };
      return table === "failures" ? { ...row, count: 800 } : row;
    }),
    "D2",
  );
  assertMatch(fewer.join(), /^differs,.*40\.0 % failed, 50\.0 % predicted/);
  assertMatch(changed("failures", short, { failureKind: "timed-out" }).join(), /^differs,.*1000: timed-out/);
  assertMatch(changed("failures", short, { failureSide: "server" }).join(), /^differs/);
  assertMatch(changed("failures", short, { seenBy: "client" }).join(), /^differs,.*seen by the client/);
  assertMatch(
    changed("failures", short, { count: 999 }).join(),
    /^differs,.*counted 999 .* its clients 1000/,
  );
  assertMatch(changed("outcomes", short, { status: 502 }).join(), /^differs,.*answered with 502/);
  const failing = changed("loads", "shortage/pooled", { answered2xx: 1999, answeredOther: 1 });
  assertMatch(failing.join(), /^differs,.*with the pool 1 failed too/);
  const unsent = changed("loads", short, { unsent: 101 });
  assertMatch(unsent.join(), /^not measured,shortage\/naive: 101 requests found no connection/);
  const cut = changed("loads", "shortage/pooled", { answered2xx: 1900, unfinished: 100 });
  assertMatch(cut.join(), /^not measured,shortage\/pooled: 100 requests .* no answer before the load ended/);
});

Deno.test("D2 allows for failures that were on their way to the client as the load ended", () => {
  const run = view((row, table) => {
    if (!isOf(row, "shortage/naive")) return row;
    return table === "loads" ? { ...row, answeredOther: 998, unfinished: 2 } : row;
  });
  assertEquals(verdictOf(run, "D2")[0], "holds");
});

Deno.test("D3 differs with a second connection to the backend, now or before, and needs all five clients", () => {
  const second = view((row, table) =>
    table === "hops" && row.requests === 3 ? { ...row, backendConnections: 2 } : row
  );
  assertMatch(
    verdictOf(second, "D3").join(),
    /^differs,3 client connections and 2 to the backend after 3 requests/,
  );
  const replaced = view((row) => isOf(row, "five/pooled") && "opened" in row ? { ...row, opened: 2 } : row);
  assertEquals(verdictOf(replaced, "D3")[0], "differs");
  const stopped = view((row, table) => table === "hops" && row.requests === 5 ? null : row);
  assertEquals(verdictOf(stopped, "D3")[0], "not measured");
});

Deno.test("D4 differs where a failure reaches the client in spite of the retry, or retries are not stale reuses", () => {
  const changed = (variant: string, changes: Row) =>
    verdictOf(view((row) => isOf(row, variant) ? { ...row, ...known(row, changes) } : row), "D4");
  assertEquals(changed("stale/retry-on", { failed: 1 })[0], "differs");
  assertEquals(changed("stale/retry-on", { retriedReads: 1 })[0], "differs");
  assertEquals(changed("stale/retry-off", { failed: 2 })[0], "differs");
  assertEquals(changed("stale/retry-off", { retriedReads: 1 })[0], "differs");
  const none = { staleWrites: 0, staleReads: 0, failed: 0 };
  assertMatch(changed("stale/retry-off", none).join(), /^not measured,Not both were met/);
  // It is about a write that fails: that reads are tried again does not show it.
  const reads = { staleWrites: 0, retriedWrites: 0 };
  assertMatch(changed("stale/retry-on", reads).join(), /^not measured,Not both were met/);
  const one = view((row) => isOf(row, "stale/retry-off") ? null : row);
  assertMatch(verdictOf(one, "D4").join(), /^not measured,.*--retry-stale both/);
});

Deno.test("every figure is drawn from a run", () => {
  const figure = (name: string) => experiment.figures[name]!(view());
  assertEquals(figure("throughput").data.map(({ name }) => name), ["direct", "naive", "pooled"]);
  assertEquals(figure("throughput").data.map(({ x }) => x), [[100, 200], [100, 200], [100, 200]]);
  const failures = figure("failures");
  assertEquals(failures.data.map(({ name }) => name), [
    "answered",
    "local-ports-exhausted (client, at the proxy)",
  ]);
  assertEquals(failures.data[0]!.y, [
    "shortage/naive",
    "shortage/pooled",
    "stale/retry-on",
    "stale/retry-off",
  ]);
  assertEquals(figure("sockets").data.map(({ name, y }) => [name, y]), [
    ["naive: proxy-backend TIME_WAIT", [1, 20]],
    ["pooled: proxy-backend ESTABLISHED", [1, 20]],
  ]);
});

Deno.test("a figure of a run without rows says so instead of drawing nothing", () => {
  const empty = view(() => null);
  assertEquals(empty.summary, []);
  assertEquals(judge(experiment.claims!, empty).map(({ verdict }) => verdict), Array(4).fill("not measured"));
  for (const draw of Object.values(experiment.figures)) assertThrows(() => draw(empty), RangeError);
});

const valuesOf = (given: Record<string, unknown>) => resolveParams(params, given).values as Values;

Deno.test("every variant has servers in a network of its own, with connections for all of its clients", () => {
  const servers = experiment.servers!(valuesOf({ clients: [7], retryStale: "off" })) as ServerSpec[];
  assertEquals(
    Object.entries(Object.groupBy(servers, ({ network }) => network!)).map(([network, own]) =>
      `${network}: ${own!.map(({ name }) => name).join(" ")}`
    ),
    [
      "direct/7: origin",
      "naive/7: origin proxy",
      "pooled/7: origin proxy",
      "shortage/naive: origin proxy",
      "shortage/pooled: origin proxy",
      "stale: origin middlebox faulty proxy",
    ],
  );
  assertEquals(new Set(servers.map(({ as }) => as)).size, servers.length);
  const flags = servers.find(({ as }) => as === "pooled/7 entry")!.flags;
  assertEquals(flags, [
    ...["--port", "8081", "--backend", "127.0.0.1:8080", "--pool", "on", "--idle-per-backend", "7"],
    ...["--retry-stale", "off"],
  ]);
});

Deno.test("what cannot be measured is refused before anything starts", () => {
  const refused: [given: Record<string, unknown>, message: RegExp][] = [
    [{ clients: [5, 5] }, /with 5 clients twice/],
    [{ clients: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, /9 numbers of clients/],
    [{ ports: 101 }, /101 ports as it is left to chance/],
    [{ ports: 16_000 }, /takes 16000 requests per second/],
  ];
  for (const [given, message] of refused) {
    assertMatch(assertThrows(() => experiment.needs!(valuesOf(given)), MisuseError).message, message);
  }
  assertEquals(experiment.needs!(valuesOf({})), { net: ["127.0.0.1"], namespace: "own" });
});
