import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { ColumnTable, MisuseError, type Row, type RunView, type TableData } from "../../record/mod.ts";
import experiment, { describeVerdict } from "./mod.ts";
import { safeIdleMs } from "./summarize.ts";
import { tables } from "./tables.ts";

const ASKS: Row = {
  ...{ role: "asks first", round: 0, connectMs: 1, answerMs: 2, status: 200, announcedClose: false },
  endMs: 2100,
};

const closed = (idleMs: number, more: Row = {}): Row => ({
  ...ASKS,
  ...{ idleMs, outcome: "closed", closedHow: "fin" },
  ...more,
});
const open = (idleMs: number, more: Row = {}): Row => ({ ...ASKS, idleMs, outcome: "open", ...more });
const waits = (idleMs: number, outcome: string, more: Row = {}): Row => ({
  ...{ role: "waits first", round: 1, connectMs: 1, pauseMs: idleMs, idleMs, outcome, endMs: 2100 },
  ...more,
});

const VALUES = {
  ...{ target: null, allowRemote: "", hostHeader: "", ca: null, budget: 120_000, connections: 8 },
  ...{ serverIdle: 1000, stack: "node" },
};

function view(rows: readonly Row[], values: Row = {}): RunView {
  const connections = new ColumnTable("connections", tables.connections);
  for (const row of rows) connections.add(row);
  const made: Record<string, TableData> = { connections };
  const params = { ...VALUES, ...values };
  return {
    ...{ id: "idle-limit/x", status: "complete", seed: 1, claims: [], warnings: [], environment: null },
    ...{ summary: experiment.summarize(made, params, 1), tables: made, params, values: params },
    value: () => null,
  };
}

function limitOf(run: RunView): unknown[] {
  const { value, low, high, reason } = run.summary.find(({ name }) => name === "idleLimitMs")!;
  return [value, low, high, reason];
}

function pick(run: RunView, name: string, variant: string | null = null): number | null {
  return run.summary.find((metric) => metric.name === name && metric.variant === variant)!.value;
}

Deno.test("a limit that the server shows is the median of the closes, with their range", () => {
  const run = view([1990, 2010, 2000, 2100].map((ms) => closed(ms, { advertisedMs: 1000 })));
  assertEquals(limitOf(run), [2005, 1990, 2100, null]);
  assertEquals([pick(run, "advertisedIdleMs"), pick(run, "safeClientIdleMs")], [1000, 500]);
  assertEquals([pick(run, "closedHow", "fin"), pick(run, "closedHow", "none")], [4, 0]);
  assertEquals(pick(run, "elapsedMs"), 2100);
  assertEquals(describeVerdict(run).split("\n"), [
    "Idle limit of the lab's own server (node)",
    "  observed      closed after 2 s (1.99 to 2.1 s), 4 of 4 by FIN",
    "  advertised    1 s (Keep-Alive: timeout=)",
    "  verdict       connections are kept about 1 s longer than the server says: do not rely on it",
    "  safe setting  a client idle timeout of at most 0.5 s",
    "  took          2.1 s; idle-limit/x",
  ]);
});

Deno.test("a server that closes sooner than it advertises is told, and the setting follows what was seen", () => {
  const run = view([closed(20_000, { advertisedMs: 75_000 }), closed(20_100, { closedHow: "reset" })]);
  assertEquals(pick(run, "safeClientIdleMs"), 19_000);
  assertMatch(
    describeVerdict(run),
    /1 of 2 by FIN, 1 of 2 by a reset\n.*75 s.*\n +verdict +.*sooner than the server says/,
  );
});

Deno.test("a server that announces every close keeps nothing: the limit is 0, and so is the setting", () => {
  const run = view([closed(3, { announcedClose: true }), open(900, { announcedClose: true })]);
  assertEquals(limitOf(run), [0, 0, 0, null]);
  assertEquals(pick(run, "safeClientIdleMs"), 0);
  assertMatch(
    describeVerdict(run),
    /verdict +the server keeps no connection\n +safe setting +keep no connection/,
  );
});

Deno.test("a limit beyond the budget has no value: it is longer than what was survived, and why is said", () => {
  const run = view([open(60_000), open(60_000), waits(20_000, "answered"), waits(58_000, "answered")]);
  assertEquals(limitOf(run), [
    ...[null, 58_000, null],
    "Longer than there was time for: no connection was closed within 60 s",
  ]);
  assertEquals([pick(run, "safeClientIdleMs"), pick(run, "longestPauseMs")], [57_000, 58_000]);
  assertStringIncludes(describeVerdict(run), "no limit was found");
});

Deno.test("where connections that asked nothing are closed, only what stayed open is known, and that is said", () => {
  const run = view([open(60_000), waits(4000, "answered"), waits(10_000, "closed", { closedHow: "fin" })]);
  const [value, low, high, reason] = limitOf(run);
  assertEquals([value, low, high], [null, 60_000, null]);
  assertMatch(String(reason), /not known, as connections that had asked nothing were closed after 10 s$/);
});

Deno.test("where no pause could be tried, what stayed open is no sign that nothing is safe", () => {
  const run = view([open(9000), waits(2000, "failed")]);
  const [value, low, high, reason] = limitOf(run);
  assertEquals([value, low, high, pick(run, "safeClientIdleMs")], [null, 9000, null, 8000]);
  assertMatch(String(reason), /not known, as no pause before a request could be tried$/);
});

Deno.test("a limit without a sign lies between the last pause that was survived and the first that was not", () => {
  const rows = [open(9000), waits(4000, "answered"), waits(5000, "lost"), waits(4800, "answered")];
  const run = view([...rows, waits(3000, "failed")]);
  assertEquals(limitOf(run), [4900, 4800, 5000, null]);
  assertEquals(pick(run, "safeClientIdleMs"), 3800);
  assertMatch(describeVerdict(run), /lost after 4\.8 to 5 s: .*\n.*\n +verdict +something forgets/);
  assertMatch(describeVerdict(run), /failed \(unknown\), and that of a fresh one was answered/);
  assertEquals(pick(view([open(9000), waits(100, "lost")]), "safeClientIdleMs"), 0);
});

Deno.test("connections that end unlike each other have no one limit, and the setting follows the first", () => {
  const run = view([closed(3000), closed(3100), open(60_000), waits(2000, "lost")]);
  assertEquals(limitOf(run), [
    ...[null, 0, null],
    "Connections differ: 2 of 3 were closed after 3 to 3.1 s, the others stayed open for 60 s",
  ]);
  assertEquals(pick(view([closed(3000), open(60_000)]), "safeClientIdleMs"), 2000);
  assertStringIncludes(describeVerdict(run), "there is no one limit");
});

Deno.test("what is not advertised is null with the reason", () => {
  const run = view([closed(2000)]);
  assertEquals(pick(run, "advertisedIdleMs"), null);
  assertMatch(describeVerdict(run), /advertised +nothing\n +verdict +.*does not say when/);
});

Deno.test("connections that failed count for nothing", () => {
  const failed = { ...ASKS, outcome: "failed", connectMs: 9000, advertisedMs: 1, answerMs: null };
  assertEquals(limitOf(view([closed(2000), failed])), [2000, 2000, 2000, null]);
  assertEquals(pick(view([closed(2000), failed]), "safeClientIdleMs"), 1000);
});

Deno.test("a limit is as the server says, longer, or shorter: late timers make it no longer one", () => {
  const words = (observedMs: number, advertisedMs: number) =>
    /verdict +(.*)/.exec(describeVerdict(view([closed(observedMs, { advertisedMs })])))![1]!;
  assertEquals(words(3000, 3000), "connections are kept for as long as the server says");
  assertEquals(words(3200, 3000), words(3000, 3000));
  for (const [observedMs, longer] of [[3300, "0.3 s"], [3990, "1 s"], [13_040, "10 s"]] as const) {
    assertEquals(
      words(observedMs, 3000),
      `connections are kept about ${longer} longer than the server says: do not rely on it`,
    );
  }
  assertStringIncludes(words(2900, 3000), "closed sooner than the server says");
});

Deno.test("what a request met after a pause that lost it is said: a reset is an answer, silence is none", () => {
  const told = (...kinds: string[]) => {
    const rows = kinds.map((failureKind, place) => waits(5000 + place, "lost", { failureKind }));
    const run = view([open(9000), waits(4000, "answered"), ...rows]);
    const counts = run.summary.filter(({ name }) => name === "lostHow").map((
      { variant, value },
    ) => [variant, value]);
    const [, observed] = /observed .* as long (.*), and that of a fresh one was answered/.exec(
      describeVerdict(run),
    )!;
    const [, verdict] = /verdict .* next request, which (.*)/.exec(describeVerdict(run))!;
    assertEquals(verdict, observed);
    return [observed, counts];
  };
  assertEquals(told("reset", "reset"), ["was reset", [["reset", 2]]]);
  assertEquals(told("timed-out"), ["timed out", [["timed-out", 1]]]);
  assertEquals(told("closed-early"), ["failed (closed-early)", [["closed-early", 1]]]);
  assertEquals(told("reset", "timed-out"), ["was reset or timed out", [["reset", 1], ["timed-out", 1]]]);
});

Deno.test("a setting is rounded down to what is known of it", () => {
  const setting = (limitMs: number) =>
    /timeout of at most (.*)/.exec(describeVerdict(view([closed(limitMs)])))?.[1];
  assertEquals([984, 999, 3996].map(setting), ["0.49 s", "0.49 s", "2.99 s"]);
});

Deno.test("a run without a summary has no verdict, and says why", () => {
  const reason = "Cannot probe as it gives no answer";
  assertEquals(
    describeVerdict({ id: "idle-limit/x", summary: [], params: VALUES, reason }),
    `No verdict: the probe was not completed (idle-limit/x): ${reason}`,
  );
  assertMatch(describeVerdict({ id: "idle-limit/x", summary: [], params: VALUES }), /^No verdict/);
});

Deno.test("safeIdleMs() stays a margin below the limit: a second or half, two round trips at least", () => {
  const cases = [[120_000, 0, 119_000], [2000, 0, 1000], [600, 0, 300], [5000, 900, 3200], [
    1000,
    600,
    0,
  ]] as const;
  for (const [limitMs, roundTripMs, safeMs] of cases) assertEquals(safeIdleMs(limitMs, roundTripMs), safeMs);
});

Deno.test("the figure shows each connection, and what is advertised and configured as lines", () => {
  const draw = (run: RunView) => experiment.figures.closes!(run).data.map(({ name }) => name);
  const rows = [
    closed(2000, { advertisedMs: 3000 }),
    open(9000),
    waits(1000, "answered"),
    waits(1500, "lost"),
  ];
  assertEquals(draw(view(rows)), [
    ...["closed by the server", "still open", "answered after a pause", "no answer after a pause"],
    ...["configured", "advertised"],
  ]);
  assertEquals(draw(view([closed(2000, { advertisedMs: 1000 })])), [
    ...["closed by the server", "configured and advertised"],
  ]);
  assertEquals(draw(view([closed(2000)], { target: "http://127.0.0.1/" })), ["closed by the server"]);
  assertEquals(draw(view([open(2000)], { stack: "deno" })), ["still open"]);
  const sorted = experiment.figures.closes!(view([closed(3000), closed(2000)])).data[0]!;
  assertEquals(sorted.y, [2000, 3000]);
  const { data } = experiment.figures.closes!(view(rows));
  assertEquals(data.map(({ mode }) => mode), [...Array(4).fill("markers"), "lines", "lines"]);
  assertEquals(data.slice(0, 4).flatMap(({ x }) => x), [1, 2, 3, 4]);
  assertEquals(data.slice(4).map(({ x }) => x), [[1, 4], [1, 4]]);
  assertThrows(() => draw(view([], { stack: "deno" })), RangeError);
});

Deno.test("the experiment may connect to its target's host and port and to nothing else, and starts no server", () => {
  const target = "https://localhost/x";
  assertEquals(experiment.needs!({ ...VALUES, target }).net, ["localhost:443"]);
  assertEquals(experiment.servers!({ ...VALUES, target }), []);
  assertEquals(experiment.needs!(VALUES).net, ["127.0.0.1"]);
  assertEquals(experiment.servers!(VALUES).map(({ flags }) => flags), [
    ["--stack", "node", "--idle-timeout", "1000ms"],
  ]);
  assertEquals(experiment.servers!({ ...VALUES, stack: "deno" }).map(({ flags }) => flags), [[
    "--stack",
    "deno",
  ]]);
});

Deno.test("a stranger as target, certificates without TLS and a Host field that would be two are misuse", () => {
  const needs = (values: Row) => () => experiment.needs!({ ...VALUES, ...values });
  assertThrows(needs({ target: "http://example.test/" }), MisuseError, "--allow-remote example.test");
  assertEquals(
    experiment.needs!({ ...VALUES, target: "http://example.test/", allowRemote: "example.test" }).net,
    ["example.test:80"],
  );
  assertThrows(needs({ ca: "PEM", target: "http://localhost/" }), MisuseError, "begins with https://");
  assertThrows(needs({ ca: "PEM" }), MisuseError, "begins with https://");
  assertEquals(needs({ ca: "PEM", target: "https://localhost/" })().net, ["localhost:443"]);
  assertThrows(needs({ hostHeader: "a\r\nx: y" }), MisuseError, "Cannot send Host field");
});
