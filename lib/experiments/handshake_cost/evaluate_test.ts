import { assertEquals, assertThrows } from "@std/assert";
import {
  ColumnTable,
  judge,
  type Metric,
  resolveParams,
  type Row,
  type RunView,
  type TableData,
} from "../../record/mod.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { tables } from "./tables.ts";

type Change = (row: Row) => Row;

const VARIANTS = ["fetch/new", "fetch/shared", "raw/new", "raw/shared"];

/** Tables of a run as it should be: 3 requests a round, new connections taking twice as long; then changed. */
function runTables(rounds: number, change: Change = (row) => row): Record<string, TableData> {
  const made = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  for (let round = 1; round <= rounds; round++) {
    for (const [place, variant] of VARIANTS.entries()) {
      const connections = variant.endsWith("/new") ? 3 : 1;
      const elapsedMs = (variant.endsWith("/new") ? 2 : 1) * (10 + round);
      made.rounds!.add(change({
        ...{ round, place, variant, startMs: 0, elapsedMs, requests: 3, failed: 0 },
        ...{ connections, connectionsReason: null },
        ...{ timeWaitClient: connections, timeWaitServer: 0, timeWaitReason: null },
      }));
      for (let order = 0; order < 3; order++) {
        made.requests!.add(change({
          ...{ variant, round, order, startMs: 0, clientMs: null, connectMs: order === 0 ? 0.3 : null },
          ...{ sendMs: 0.1, waitMs: 0.2, receiveMs: 0.1, elapsedMs: 0.5, status: 200, bodyBytes: 1 },
        }));
      }
      made.timewait!.add({ seenMs: round * 4 + place, client: round * 4 + place, server: 0 });
    }
  }
  return made;
}

function view(made: Record<string, TableData>, changes: Partial<RunView> = {}): RunView {
  const summary: readonly Metric[] = experiment.summarize(made, {}, 1);
  return {
    ...{ id: "handshake-cost/x", status: "complete", seed: 1, summary, claims: [], warnings: [] },
    ...{ environment: null, tables: made, value: () => null },
    params: { target: null, requests: 3, stack: "node", watchTimeWait: false },
    values: {},
    ...changes,
  };
}

function verdicts(run: RunView): string[] {
  return judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
}

function pick(run: RunView, name: string): (number | null)[] {
  return run.summary.filter((metric) => metric.name === name).map(({ value }) => value);
}

/** A change to the rows of one variant in one round. */
function inRound(variant: string, round: number, change: Row): Change {
  return (row) => row.variant === variant && row.round === round ? { ...row, ...change } : row;
}

Deno.test("summarize() gives counts that all rounds share, and the ratio over pairs with its interval", () => {
  const run = view(runTables(6));
  assertEquals(pick(run, "requests"), [3, 3, 3, 3]);
  assertEquals(pick(run, "connections"), [3, 1, 3, 1]);
  assertEquals(pick(run, "timeWaitAddedClient"), [3, 1, 3, 1]);
  assertEquals(pick(run, "timeWaitAddedServer"), [0, 0, 0, 0]);
  assertEquals(pick(run, "elapsedMs"), [27, 13.5, 27, 13.5]);
  const ratios = run.summary.filter(({ name }) => name === "elapsedRatio");
  assertEquals(ratios.map(({ variant, value, low, high }) => [variant, value, low, high]), [
    ["fetch", 2, 2, 2],
    ["raw", 2, 2, 2],
  ]);
  assertEquals(verdicts(run), ["A1 holds", "A2 holds"]);
});

Deno.test("summarize() gives the same intervals for the same seed", () => {
  const made = runTables(6);
  assertEquals(experiment.summarize(made, {}, 7), experiment.summarize(made, {}, 7));
});

Deno.test("rounds that differ have a range and no value, and the claims differ", () => {
  const run = view(runTables(6, inRound("raw/new", 4, { connections: 2 })));
  const [metric] = run.summary.filter(({ name, variant }) => name === "connections" && variant === "raw/new");
  assertEquals([metric?.value, metric?.low, metric?.high, metric?.reason], [
    null,
    2,
    3,
    "Rounds differ: 2 to 3",
  ]);
  assertEquals(verdicts(run), ["A1 differs", "A2 holds"]);
});

Deno.test("what was not counted is null with the reason, and the claims are not measured", () => {
  const run = view(
    runTables(6, (row) => ({ ...row, connections: null, connectionsReason: "Nobody counted" })),
  );
  assertEquals(pick(run, "connections"), [null, null, null, null]);
  assertEquals(
    new Set(run.summary.filter(({ value }) => value === null).map(({ reason }) => reason)),
    new Set([
      "Nobody counted",
      ...["fetch/shared", "raw/shared"].map((variant) =>
        `Not compared: ${variant} is not known to have shared a connection, round 1: Nobody counted`
      ),
    ]),
  );
  assertEquals(verdicts(run), ["A1 not measured", "A2 not measured"]);
});

Deno.test("a round with failures has no times and is not compared, and its claims are not measured", () => {
  const run = view(runTables(6, inRound("fetch/new", 2, { failed: 1 })));
  assertEquals(pick(run, "elapsedMs"), [null, 13.5, 27, 13.5]);
  assertEquals(pick(run, "elapsedRatio"), [null, 2]);
  assertEquals(pick(run, "addedPerRequestMs").map((value) => value === null), [true, false]);
  assertEquals(verdicts(run), ["A1 not measured", "A2 not measured"]);
});

Deno.test("variants that were answered unlike each other are not compared", () => {
  const unlike = (row: Row) =>
    row.variant === "raw/shared" && row.order === 2 ? { ...row, status: 429 } : row;
  const run = view(runTables(6, unlike));
  assertEquals(pick(run, "elapsedRatio"), [2, null]);
  assertEquals(pick(run, "elapsedMs"), [27, 13.5, 27, null]);
  assertEquals(verdicts(run), ["A1 holds", "A2 not measured"]);
});

Deno.test("claims that have no round to hold anything against are not measured", () => {
  assertEquals(verdicts(view(runTables(0))), ["A1 not measured", "A2 not measured"]);
});

Deno.test("figures of times leave out requests that failed, and say so", () => {
  const failing = (row: Row) => row.order === 1 ? { ...row, failureKind: "reset", elapsedMs: 9000 } : row;
  const run = view(runTables(3, failing));
  const figure = experiment.figures.latency!(run);
  assertEquals(figure.data.flatMap(({ y }) => y as number[]).includes(9000), false);
  assertEquals(JSON.stringify(figure.layout).includes("12 requests that failed are left out"), true);
});

Deno.test("A1 accepts TIME_WAIT on either side, but on one side only", () => {
  const closes = (client: number, server: number) =>
    verdicts(view(runTables(6, (row) => {
      const many = row.connections as number;
      return { ...row, timeWaitClient: client * many, timeWaitServer: server * many };
    })))[0];
  assertEquals(closes(0, 1), "A1 holds");
  assertEquals(closes(1, 1), "A1 differs");
  assertEquals(closes(0, 0), "A1 differs");
});

Deno.test("A1 is not measured where sockets in TIME_WAIT could not be counted", () => {
  const lost = { timeWaitClient: null, timeWaitReason: "They were used again" };
  assertEquals(verdicts(view(runTables(6, inRound("raw/new", 3, lost))))[0], "A1 not measured");
});

Deno.test("A2 says which of the clients' ratios was measured", () => {
  const { measured, reason } = judge(experiment.claims!, view(runTables(6))).find(({ id }) => id === "A2")!;
  assertEquals([measured, reason], [
    2,
    "The kept connection is faster: measured is the smaller ratio of the means, fetch 2.00 and raw 2.00; stated 1.8",
  ]);
});

Deno.test("A2 differs when the kept connection is not faster or not one, and is open when the interval includes 1", () => {
  assertEquals(verdicts(view(runTables(6, (row) => ({ ...row, elapsedMs: 10 }))))[1], "A2 differs");
  // Faster in half of the rounds, slower in the others: nothing is told.
  const undecided = (row: Row) => ({ ...row, elapsedMs: (row.round as number) % 2 ? row.elapsedMs! : 10 });
  const slower = (row: Row) =>
    row.variant === "raw/shared" && (row.round as number) % 2 === 0 ? { ...row, elapsedMs: 40 } : row;
  assertEquals(verdicts(view(runTables(6, (row) => slower(undecided(row)))))[1], "A2 not measured");
  const unshared = view(runTables(6, inRound("raw/shared", 1, { connections: 2 })));
  assertEquals(verdicts(unshared)[1], "A2 differs");
  assertEquals(pick(unshared, "elapsedRatio"), [2, null]);
});

Deno.test("A2 is not measured with too few rounds for an interval", () => {
  assertEquals(verdicts(view(runTables(2))), ["A1 holds", "A2 not measured"]);
});

Deno.test("every figure is drawn from a run, with a trace for each variant or side", () => {
  const run = view(runTables(3));
  const names = (figure: string) => experiment.figures[figure]!(run).data.map(({ name }) => name);
  assertEquals(names("elapsed"), VARIANTS);
  assertEquals(names("latency"), VARIANTS);
  assertEquals(names("phases"), ["connect", "send", "wait", "receive"]);
  assertEquals(names("timeWait"), ["client", "server"]);
});

Deno.test("a phase that some requests lack counts as nothing for them, and one that none has is left out", () => {
  const { data } = experiment.figures.phases!(view(runTables(3)));
  // One request in three connects, for 0.3 ms.
  assertEquals((data[0]!.x as number[]).map((value) => Math.round(value * 1000) / 1000), [
    0.1,
    0.1,
    0.1,
    0.1,
  ]);
});

Deno.test("a figure of a run without rows says so instead of drawing nothing", () => {
  for (const draw of Object.values(experiment.figures)) {
    assertThrows(() => draw(view(runTables(0))), RangeError);
  }
});

Deno.test("the experiment asks for one listening port for each round and variant, and nothing for a target", () => {
  const values = {
    client: "both",
    requests: 1,
    rounds: 4,
    stack: "deno",
    bodyBytes: 1,
    watchTimeWait: false,
  };
  assertEquals(experiment.servers!({ ...values, target: null }), [
    { name: "origin", flags: ["--stack", "deno", "--ports", "20"], descriptors: 52 },
  ]);
  assertEquals(experiment.servers!({ ...values, target: "http://127.0.0.1:80/" }), []);
  assertEquals(experiment.needs!({ ...values, target: "http://[::1]:8080/" }).net, ["[::1]:8080"]);
  assertEquals(experiment.needs!({ ...values, target: "http://example.test/" }).net, ["example.test:80"]);
});

Deno.test("a default run against a target says how long it takes at most in minutes, and grows with what is asked", () => {
  const values = resolveParams(params, { target: "http://example.test/" }).values;
  const budget = (changes: Partial<Values> = {}) => experiment.budgetMs({ ...values, ...changes }) / 60_000;
  assertEquals(budget() < 60, true);
  assertEquals(budget({ requests: values.requests * 2 }) > budget(), true);
  assertEquals(budget() > budget({ target: null }), true);
});
