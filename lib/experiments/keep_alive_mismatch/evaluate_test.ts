import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ColumnTable, MisuseError, type Row, type RunView } from "../../record/mod.ts";
import { BEYOND, GRID, isPlain, reason, runTables, value, valuesWith, verdict, view } from "./_testing.ts";
import { EXAMPLE_GAPS } from "./gaps.ts";
import { armsIn } from "./grid.ts";
import experiment from "./mod.ts";
import { type Values } from "./params.ts";
import { tables } from "./tables.ts";

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
  assertEquals(value(run, "pairs", "direct/raw/never/GET"), 2 * GRID.length);
  const failing = run.summary.find(({ name, variant }) =>
    name === "failureUpperBound" && variant === "middlebox/raw/never/GET"
  )!;
  assertEquals([failing.value, failing.reason], [
    null,
    `${2 * BEYOND} of ${2 * GRID.length} pairs failed: which ones follows from the pauses, and is no rate`,
  ]);
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

Deno.test("where the server could not be asked, only what clients counted has a number, and no claim is judged", () => {
  const run = view();
  const [fates, visits] = [new ColumnTable("fates", tables.fates), new ColumnTable("visits", tables.visits)];
  const made = { ...run.tables, fates, visits };
  const summary = experiment.summarize(made, valuesWith(), 1);
  const told = { ...run, tables: made, summary };
  const counts = [
    "sent",
    "answered",
    "failed",
    "retried",
    "received",
    "lost",
    "duplicates",
    "failureUpperBound",
  ];
  assertEquals(counts.map((name) => value(told, name, "middlebox/raw/never/GET")), [
    ...[4 * GRID.length, 4 * GRID.length - 2 * BEYOND, 2 * BEYOND],
    ...[null, null, null, null, null],
  ]);
  assertEquals(["A8", "A9", "A10"].map((id) => verdict(told, id)), Array(3).fill("not measured"));
  assertStringIncludes(reason(told, "A8"), "how often the server received what was sent is not known");
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
  const field = experiment.figures.field!(view());
  const texts = (field.layout.annotations as { text: string }[]).map(({ text }) => text);
  assertEquals(texts.includes("<b>75 s</b>, 60 s to the next hop"), true);
  // In seconds, as they are named.
  assertEquals(Math.max(...field.data.flatMap(({ x }) => x as (number | null)[]).map(Number)), 350);
});

Deno.test("costs are drawn for the variants that fail, and for all when none does", () => {
  const bars = (run: RunView) => experiment.figures.cost!(run).data.map(({ name }) => name);
  assertEquals(bars(view()), [
    "middlebox<br>raw/never<br>GET",
    "middlebox<br>raw/never<br>POST",
    "middlebox<br>raw/retry<br>POST",
  ]);
  assertEquals(bars(view({ middleboxIdle: null })).length, 8);
  const title = (gaps: Values["gaps"]) => {
    const { layout } = experiment.figures.cost!(view({ gaps }));
    return /with (example|one's own) gaps/.exec(JSON.stringify(layout))![1];
  };
  assertEquals([{ gapsMs: [500] }, { ratePerSecond: 3 }, EXAMPLE_GAPS].map(title), [
    ...["one's own", "one's own", "example"],
  ]);
});

Deno.test("a grid without pairs says so instead of drawing nothing", () => {
  const run = view();
  for (const name of ["pairs", "fates"] as const) {
    const empty = { ...run, tables: { ...run.tables, [name]: new ColumnTable(name, tables[name]) } };
    assertThrows(() => experiment.figures.grid!(empty), RangeError);
  }
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
