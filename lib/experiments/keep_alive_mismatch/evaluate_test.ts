import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ColumnTable, judge, MisuseError, type Row, type RunView, type TableData } from "../../record/mod.ts";
import { cellWith, valuesWith } from "./_testing.ts";
import type { CellRow } from "./cell.ts";
import { chainRows } from "./chain_rows.ts";
import { type Arm, armsIn, pausesIn } from "./grid.ts";
import experiment from "./mod.ts";
import type { Values } from "./params.ts";
import { tables } from "./tables.ts";

type Change = (cell: CellRow) => Partial<CellRow>;

/** What becomes of a pair where the middlebox forgets after 2 s and the server closes after 6 s. */
function fate({ chain, client, method, clientIdleMs }: Arm, pauseMs: number): Partial<CellRow> {
  const anew = { reused: false, ageMs: null, elapsedMs: 3 };
  if (pauseMs > clientIdleMs) return { ...anew, closedBy: "client" };
  if (chain === "middlebox" && pauseMs > 2000) {
    const forgotten = { forgotten: true, closedBy: "middlebox", closedHow: "reset" };
    if (client === "fetch" || client === "raw/retry" && method === "GET") {
      return { ...forgotten, retried: 1, elapsedMs: 4 };
    }
    return { ...forgotten, status: null, failurePhase: "wait", failureKind: "reset", received: 0 };
  }
  return pauseMs > 6000 ? { ...anew, noticed: "fin", closedBy: "server", closedHow: "fin" } : {};
}

/** The tables of a run as it should be; then changed. */
function runTables(values: Values, change: Change = () => ({})): Record<string, TableData> {
  const made = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  let id = 0;
  for (const arm of armsIn(values)) {
    for (const pauseMs of pausesIn(values)) {
      for (let repeat = 1; repeat <= values.repeats; repeat++) {
        id += 2;
        const base = cellWith({ variant: arm.variant, pauseMs, repeat, id, ...fate(arm, pauseMs) });
        const cell = cellWith({ ...base, ...change(base) });
        made.cells!.add(cell);
        const visit = { method: arm.method, connection: 1, clientPort: 1, atMs: 0 };
        for (let count = 0; count < cell.firstReceived!; count++) made.visits!.add({ id: id - 1, ...visit });
        for (let count = 0; count < cell.received!; count++) made.visits!.add({ id, ...visit });
      }
    }
  }
  for (const row of chainRows(values)) made.chains!.add(row as Row);
  const held = { repeat: 1, advertisedMs: 5000, watchedMs: 10_000 };
  made.limits!.add({ chain: "direct", ...held, observedMs: 6001, how: "fin" });
  made.limits!.add({ chain: "middlebox", ...held });
  return made;
}

function view(changes: Partial<Values> = {}, change?: Change): RunView {
  const values = valuesWith(changes);
  const made = runTables(values, change);
  return {
    ...{ id: "keep-alive-mismatch/x", status: "complete", seed: 1, claims: [], warnings: [] },
    ...{ environment: null, tables: made, value: () => null, values },
    params: { repeats: values.repeats, stack: values.stack },
    summary: experiment.summarize(made, values, 1),
  } as unknown as RunView;
}

function value(run: RunView, name: string, variant: string): number | null {
  return run.summary.find((metric) => metric.name === name && metric.variant === variant)!.value;
}

function verdict(run: RunView, claim: string): string {
  return judge(experiment.claims!, run).find(({ id }) => id === claim)!.verdict;
}

function reason(run: RunView, claim: string): string {
  return judge(experiment.claims!, run).find(({ id }) => id === claim)!.reason!;
}

const isPlain = ({ variant }: CellRow) => variant!.startsWith("middlebox/raw/never/");
const GRID = pausesIn(valuesWith());
const BEYOND = GRID.filter((pauseMs) => pauseMs > 2000).length;

Deno.test("summarize() counts at both ends, and what was sent and received adds up", () => {
  const run = view();
  const pairs = 2 * GRID.length;
  for (const { variant } of armsIn(valuesWith())) {
    const of = (name: string) => value(run, name, variant)!;
    assertEquals(of("sent"), 2 * pairs);
    assertEquals(of("answered") + of("failed"), of("sent"));
    assertEquals(of("sent") + of("retried"), of("received") + of("lost"));
  }
  const of = (variant: string) =>
    ["failed", "retried", "lost", "duplicates"].map((name) => value(run, name, variant));
  assertEquals(of("middlebox/raw/never/GET"), [2 * BEYOND, 0, 2 * BEYOND, 0]);
  assertEquals(of("middlebox/raw/retry/GET"), [0, 2 * BEYOND, 2 * BEYOND, 0]);
  assertEquals(of("tuned/raw/never/POST"), [0, 0, 0, 0]);
});

Deno.test("summarize() never says that failures are impossible", () => {
  const run = view();
  const bound = value(run, "failureUpperBound", "direct/raw/never/GET")!;
  assertEquals(bound > 0 && bound < 3 / (2 * GRID.length), true);
  const cost = run.summary.find(({ name, variant }) =>
    name === "failuresPerMillion" && variant === "direct/raw/never/GET"
  )!;
  assertEquals([cost.value, cost.high! > 0], [0, true]);
});

Deno.test("summarize() gives the limit that was advertised beside the one that was observed", () => {
  const run = view();
  assertEquals(value(run, "advertisedIdleMs", "direct"), 5000);
  assertEquals(value(run, "observedIdleMs", "direct"), 6001);
  const hidden = run.summary.find(({ name, variant }) =>
    name === "observedIdleMs" && variant === "middlebox"
  )!;
  assertEquals([hidden.value, hidden.reason], [null, "The client saw no end within 10 s"]);
  assertEquals(value(run, "safeClientIdleMs", "middlebox"), 1000);
});

Deno.test("summarize() gives no limit where connections differ, or where none was answered", () => {
  const observed = (...rows: Row[]) => {
    const made = runTables(valuesWith());
    const limits = new ColumnTable("limits", tables.limits);
    for (const row of rows) limits.add({ chain: "direct", ...row });
    const metrics = experiment.summarize({ ...made, limits }, valuesWith(), 1);
    const { value, reason } = metrics.find(({ name }) => name === "observedIdleMs")!;
    return [value, reason];
  };
  assertEquals(observed({ watchedMs: 6000, observedMs: 6000, how: "fin" }, { watchedMs: 10_000 }), [
    null,
    "Connections differ: the client saw the end of 1 of 2",
  ]);
  assertEquals(observed({ failureKind: "refused" }), [
    null,
    "No connection that was to be held was answered: refused",
  ]);
});

Deno.test("summarize() gives the same numbers for the same seed", () => {
  const made = runTables(valuesWith());
  assertEquals(experiment.summarize(made, valuesWith(), 7), experiment.summarize(made, valuesWith(), 7));
});

Deno.test("what was stated holds in a run as it should be", () => {
  const run = view();
  assertEquals(["A8", "A9", "A10"].map((id) => verdict(run, id)), ["holds", "holds", "holds"]);
  assertStringIncludes(
    reason(run, "A9"),
    "direct racy at the server, middlebox unsafe at the middlebox, tuned safe",
  );
  assertStringIncludes(
    reason(run, "A10"),
    "pause 10 s; 0 of 12 (at most 22 %) failed: fetch GET new connection",
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
  const silent = view(
    { forget: "silent" },
    (cell) => cell.failureKind === "reset" ? { failureKind: "timed-out" } : {},
  );
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

Deno.test("a run in which no first request was answered has counts, and reasons in place of the rest", () => {
  const run = view({}, () => ({
    ...{ firstFailureKind: "refused", firstReceived: 0, startMs: null, elapsedMs: null, idleMs: null },
    ...{ failureKind: null, received: 0, retried: 0 },
  }));
  assertEquals(value(run, "failed", "direct/fetch/GET"), 2 * GRID.length);
  for (const name of ["failureUpperBound", "failuresPerMillion", "addedPerRequestMs"]) {
    assertEquals(value(run, name, "direct/fetch/GET"), null);
  }
  assertEquals(["A8", "A9", "A10"].map((id) => verdict(run, id)), Array(3).fill("not measured"));
});

Deno.test("the grid has a cell for each arm and pause, with the worst outcome and how many met it", () => {
  const { data: [cells], layout } = experiment.figures.grid!(
    view(
      {},
      (cell) =>
        isPlain(cell) && cell.pauseMs === 4000 && cell.repeat === 1 ? { failureKind: null, received: 1 } : {},
    ),
  );
  assertEquals((cells!.z as unknown[][]).map(({ length }) => length), Array(14).fill(GRID.length));
  assertEquals(cells!.x, GRID.map((pauseMs) => `${pauseMs / 1000} s`));
  assertEquals((cells!.y as string[]).slice(-2), [
    "tuned: client 1 s · raw/never GET",
    "tuned: client 1 s · raw/never POST",
  ]);
  assertEquals((layout.annotations as { text: string }[]).map(({ text }) => text), ["1/2", "1/2"]);
  const outcomes = new Set((cells!.customdata as string[][]).flat());
  assertEquals(outcomes, new Set(["reused", "new connection", "sent again", "reset"]));
});

Deno.test("chains are drawn with a bar a hop and their verdict", () => {
  const labels = (name: string) =>
    (experiment.figures[name]!(view()).layout.yaxis as { ticktext: string[] }).ticktext;
  assertEquals(labels("chain").slice(0, 2), ["<b>direct: racy</b><br>client", "server ✗"]);
  assertEquals(labels("chain").length, 2 + 3 + 3);
  assertEquals(labels("field").length > labels("chain").length, true);
});

Deno.test("costs are drawn for the variants that fail, and for all when none does", () => {
  const bars = (run: RunView) => experiment.figures.cost!(run).data.map(({ name }) => name);
  assertEquals(bars(view()), [
    "middlebox<br>raw/never<br>GET",
    "middlebox<br>raw/never<br>POST",
    "middlebox<br>raw/retry<br>POST",
  ]);
  assertEquals(bars(view({ middleboxIdle: null })).length, 8);
});

Deno.test("a grid without pairs says so instead of drawing nothing", () => {
  const run = view();
  const empty = { ...run, tables: { ...run.tables, cells: new ColumnTable("cells", tables.cells) } };
  assertThrows(() => experiment.figures.grid!(empty), RangeError);
});

Deno.test("pauses that are too long, none or too many are refused, and the reason is named", () => {
  const refuse = (changes: Partial<Values>, message: string) =>
    assertThrows(() => experiment.needs!(valuesWith(changes)), MisuseError, message);
  refuse({ pauses: [1000, 20_000] }, "Cannot wait for a pause of 20 s as the longest is 10 s");
  refuse({ repeats: 100 }, "Cannot make 16800 pairs of requests as at most 4000 can be idle side by side");
  refuse({ longestPause: 100 }, "Cannot choose pauses as none around a limit is within 0.1 s");
});

Deno.test("the experiment asks for a middlebox before its server only where there is one", () => {
  const servers = (changes: Partial<Values>) => experiment.servers!(valuesWith(changes));
  const [origin, middlebox] = servers({});
  assertEquals([origin!.name, origin!.flags], [
    "origin",
    ["--stack", "node", "--ports", "2", "--idle-timeout", "5000ms"],
  ]);
  const handle = { hostname: "127.0.0.1", port: 1, ports: [2, 3], pid: 1 };
  assertEquals((middlebox!.flags as (before: unknown) => string[])({ origin: handle }), [
    ...["--upstream", "127.0.0.1:3", "--idle", "2000ms", "--forget", "reset"],
  ]);
  assertEquals(servers({ middleboxIdle: null }).length, 1);
  assertEquals(servers({ stack: "deno" })[0]!.flags, ["--stack", "deno", "--ports", "2"]);
});
