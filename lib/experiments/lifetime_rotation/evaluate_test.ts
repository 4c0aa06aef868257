import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  ColumnTable,
  judge,
  resolveParams,
  type Row,
  type RunView,
  type TableData,
} from "../../record/mod.ts";
import { changesOf, expectedChanges } from "./changes.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { tables } from "./tables.ts";
import { MOVING_VARIANTS } from "./variants.ts";

type Change = (table: string, row: Row) => Row | null;

const OLD = "127.0.0.1";
const NEW = "127.0.0.2";

/** Tables of a run as it should be, with the default parameters; then changed, row by row. */
class Made {
  readonly tables: Record<string, ColumnTable> = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  );
  readonly #change: Change;
  readonly #speed: number;
  #id = 0;

  constructor(change: Change = (_, row) => row, speed = 1) {
    this.#change = change;
    this.#speed = speed;
    this.#rotation();
    this.#clients("shared", [1, 1, 1]);
    this.#clients("apart", [1, 2, 3]);
    for (const variant of MOVING_VARIANTS) this.#moving(variant);
    this.#add("moves", { hostname: "service.test", from: OLD, to: NEW, movedMs: 2750, endedMs: 7250 });
    this.#burst();
    this.#blocks();
  }

  #add(table: string, row: Row): void {
    const changed = this.#change(table, row);
    if (changed === null) return;
    const times = Object.keys(changed).filter((name) =>
      ["dueMs", "startMs", "movedMs", "endedMs"].includes(name)
    );
    const scaled = times.map((name) => [name, (changed[name] as number) / this.#speed] as const);
    this.tables[table]!.add({ ...changed, ...Object.fromEntries(scaled) });
  }

  #request(row: { variant: string; order: number; startMs: number; connection: number; address: string }) {
    const id = ++this.#id;
    const clientPort = 40_000 + 100 * row.variant.length + row.connection;
    this.#add("requests", { ...row, id, dueMs: row.startMs, clientPort, elapsedMs: 1, status: 200 });
    this.#add("visits", { address: row.address, id, connection: row.connection, clientPort, atMs: 0 });
  }

  /** Connections are opened one after another, and each resolves the name. */
  #pool(variant: string, opened: number, accepted: number | null): void {
    for (let count = 0; count < opened; count++) this.#add("resolutions", { variant, address: OLD });
    this.#add("pools", { variant, opened, reused: 0, aged: 0, accepted });
  }

  #rotation(): void {
    for (const [order, connection] of [1, 1, 1, 2, 2, 2, 3].entries()) {
      this.#request({ variant: "rotation", order, startMs: order * 1000, connection, address: OLD });
    }
    this.#pool("rotation", 3, 3);
  }

  #clients(variant: string, connections: number[]): void {
    for (const [order, connection] of connections.entries()) {
      this.#request({ variant, order, startMs: order, connection, address: OLD });
    }
    const opened = new Set(connections).size;
    this.#pool(variant, opened, opened);
  }

  /** One connection of each: with a lifetime it moves at 5 s, 2250 ms after the name. */
  #moving(variant: string): void {
    const moves = variant.startsWith("lifetime");
    for (let order = 0; order < 8; order++) {
      const moved = moves && order >= 5;
      this.#request({
        ...{ variant, order, startMs: order * 1000 },
        ...{ connection: moved ? 2 : 1, address: moved ? NEW : OLD },
      });
    }
    this.#pool(variant, moves ? 2 : 1, null);
  }

  /** Three connections: together without jitter, 100 ms and more apart with it. */
  #burst(): void {
    for (const jitter of [0, 0.1, 0.3]) {
      for (let connection = 1; connection <= 6; connection++) {
        const first = connection <= 3;
        const atMs = first ? 0 : 2500 - 500 * jitter * (6 - connection);
        this.#add("reconnects", { jitter, connection, first, atMs, openMs: 0.1 });
      }
    }
  }

  /** A reconnect takes 0.9 ms longer than another request, and each lifetime has one in ten requests. */
  #blocks(): void {
    for (let round = 1; round <= 5; round++) {
      for (const [place, variant] of ["none", "1ms", "10ms"].entries()) {
        const fresh = place === 0 ? 0 : 100 / 10 ** place;
        const [reusedMs, freshMs] = [(100 - fresh) * 0.1, fresh];
        const elapsedMs = reusedMs + freshMs;
        this.#add("blocks", {
          ...{ variant, round, place, elapsedMs, requests: 100, failed: 0, fresh, freshMs, reusedMs },
        });
      }
    }
  }
}

function view(made: Made, given: Record<string, unknown> = {}): RunView<Values> {
  const { values, json } = resolveParams(params, given);
  const data: Record<string, TableData> = made.tables;
  return {
    ...{ id: "lifetime-rotation/x", status: "complete", seed: 1, claims: [], warnings: [] },
    ...{ environment: null, tables: data, value: () => null, params: json, values },
    summary: experiment.summarize(data, values, 1),
  };
}

function verdicts(run: RunView<Values>): string[] {
  return judge(experiment.claims!, run).map(({ id, verdict }) => `${id} ${verdict}`);
}

function reasonOf(run: RunView<Values>, id: string): string {
  return judge(experiment.claims!, run).find((claim) => claim.id === id)!.reason!;
}

function pick({ summary }: RunView<Values>, name: string): Record<string, number | null> {
  return Object.fromEntries(
    summary.filter((metric) => metric.name === name).map(({ variant, value }) => [variant, value]),
  );
}

/** A change to the rows of a table that a condition holds for. */
function where(table: string, holds: (row: Row) => boolean, change: Row | null): Change {
  return (name, row) => name === table && holds(row) ? change && { ...row, ...change } : row;
}

const inRotation = (order: number) => (row: Row) => row.variant === "rotation" && row.order === order;

Deno.test("summarize() counts connections and resolutions, and tells when each change and move came", () => {
  const run = view(new Made());
  const counts = { rotation: 3, shared: 1, apart: 3, "none/idle": 1, "none/busy": 1 };
  const expected = { ...counts, "lifetime/idle": 2, "lifetime/busy": 2 };
  assertEquals(pick(run, "connections"), expected);
  assertEquals(pick(run, "resolutions"), expected);
  assertEquals(pick(run, "changes"), { rotation: 2 });
  assertEquals(pick(run, "changesAtMs"), { "rotation/1": 3000, "rotation/2": 6000 });
  assertEquals(pick(run, "timeToMoveMs"), {
    ...{ "none/idle": null, "none/busy": null },
    ...{ "lifetime/idle": 2250, "lifetime/busy": 2250 },
  });
  assertEquals(pick(run, "peakReconnects"), { "jitter=0": 3, "jitter=0.1": 2, "jitter=0.3": 1 });
  assertEquals(verdicts(run), ["A5 holds", "A6 holds", "A15 holds"]);
});

Deno.test("summarize() spreads what reconnects take over all requests, and gives the time of a request beside it", () => {
  const run = view(new Made());
  const added = run.summary.filter(({ name }) => name === "addedPerRequestMs");
  const round = (value: number | null) => value === null ? null : Math.round(value * 1e6) / 1e6;
  assertEquals(added.map(({ variant, value, low, high }) => [variant, ...[value, low, high].map(round)]), [
    ["1ms", 0.09, 0.09, 0.09],
    ["10ms", 0.009, 0.009, 0.009],
  ]);
  const elapsed = Object.values(pick(run, "elapsedPerRequestMs")).map(round);
  assertEquals(elapsed, [0.19, 0.109, 0.1]);
  assertEquals(round(pick(run, "reconnectMs").null!), 0.9);
  assertEquals(pick(run, "requestsPerReconnect"), { "1ms": 10, "10ms": 100 });
});

Deno.test("a time without a value says that the name was not followed, and until when", () => {
  const { summary } = view(new Made());
  const [metric] = summary.filter(({ name, value }) => name === "timeToMoveMs" && value === null);
  assertEquals(
    metric!.reason,
    "Did not move within the run: 4500 ms later requests still went to 127.0.0.1",
  );
});

Deno.test("times that the schedule decides are the experiment's, whatever the speed", () => {
  const run = view(new Made((_, row) => row, 10), { speed: 10 });
  assertEquals(pick(run, "timeToMoveMs")["lifetime/idle"], 2250);
  assertEquals(pick(run, "changesAtMs")["rotation/2"], 6000);
  assertEquals(verdicts(run), ["A5 holds", "A6 holds", "A15 holds"]);
});

Deno.test("costs with failures are not given, and say why", () => {
  const failing = where("blocks", ({ variant, round }) => variant === "1ms" && round === 2, { failed: 3 });
  const run = view(new Made(failing));
  assertEquals(Object.values(pick(run, "addedPerRequestMs")).map((value) => value === null), [true, false]);
  assertEquals(pick(run, "reconnectMs").null, null);
});

Deno.test("a peak is not given where connections could not be opened", () => {
  const refused = where("reconnects", ({ jitter, connection }) => jitter === 0.1 && connection === 5, {
    connection: null,
    openMs: null,
    failureKind: "refused",
  });
  assertEquals(pick(view(new Made(refused)), "peakReconnects"), {
    "jitter=0": 3,
    "jitter=0.1": null,
    "jitter=0.3": 1,
  });
});

Deno.test("a peak of connections that were never opened anew is no peak of 0", () => {
  const young = where("reconnects", ({ first }) => first === false, null);
  assertEquals(Object.values(pick(view(new Made(young)), "peakReconnects")), [null, null, null]);
});

Deno.test("expectedChanges() is the first request at or after each lifetime, and says how close it is", () => {
  const article = { requests: 7, interval: 1000, lifetime: 2500 };
  assertEquals(expectedChanges(article), { orders: [3, 6], slackMs: 500 });
  assertEquals(expectedChanges({ ...article, lifetime: 2000 }), { orders: [2, 4, 6], slackMs: 0 });
  assertEquals(expectedChanges({ ...article, lifetime: 100 }).orders, [1, 2, 3, 4, 5, 6]);
  assertEquals(expectedChanges({ ...article, lifetime: 9000 }), { orders: [], slackMs: 3000 });
});

Deno.test("changesOf() reads requests in their order, not in that of the table", () => {
  const table = new ColumnTable("requests", tables.requests);
  for (const [order, connection] of [[2, 2], [0, 1], [1, 1]] as const) {
    table.add({ variant: "rotation", order, connection });
  }
  assertEquals(changesOf(table), [2]);
});

Deno.test("A5 differs with a second connection, and is not measured where the ends count unlike", () => {
  const pool = (change: Row) => where("pools", ({ variant }) => variant === "shared", change);
  assertEquals(verdicts(view(new Made(pool({ opened: 2, accepted: 2 }))))[0], "A5 differs");
  assertEquals(verdicts(view(new Made(pool({ opened: 1, accepted: 2 }))))[0], "A5 not measured");
  assertEquals(verdicts(view(new Made(), { clients: 1 }))[0], "A5 not measured");
});

Deno.test("A6 differs when the connection changes elsewhere, and is open when a late request explains it", () => {
  const early = where("requests", inRotation(2), { connection: 2 });
  assertEquals(verdicts(view(new Made(early)))[1], "A6 differs");
  const late = where("requests", inRotation(2), { connection: 2, dueMs: 1400 });
  assertEquals(verdicts(view(new Made(late)))[1], "A6 not measured");
});

Deno.test("A6 differs without a new port, or with another number of resolutions or connections", () => {
  const cases: Change[] = [
    where("requests", (row) => row.variant === "rotation" && row.order === 6, { clientPort: 40_000 }),
    where("resolutions", ({ variant }) => variant === "rotation", null),
    where("pools", ({ variant }) => variant === "rotation", { opened: 4 }),
    where("pools", ({ variant }) => variant === "rotation", { accepted: 2 }),
  ];
  // The port of the last request is that of none before it: one more is one too few for the server.
  assertEquals(cases.map((change) => verdicts(view(new Made(change)))[1]), [
    "A6 not measured",
    "A6 differs",
    "A6 differs",
    "A6 differs",
  ]);
  const samePort = (table: string, row: Row) =>
    table !== "pools" && "clientPort" in row ? { ...row, clientPort: 40_000 } : row;
  assertEquals(verdicts(view(new Made(samePort)))[1], "A6 differs");
});

Deno.test("A6 is not measured when the server saw another port or nothing, a request failed, or none came late", () => {
  const unseen = where("visits", ({ id }) => id === 4, null);
  const failed = where("requests", inRotation(1), { failureKind: "reset" });
  assertEquals(verdicts(view(new Made(unseen)))[1], "A6 not measured");
  assertEquals(verdicts(view(new Made(failed)))[1], "A6 not measured");
  const short = view(new Made(), { lifetime: "20s" });
  assertEquals(verdicts(short)[1], "A6 not measured");
  assertMatch(reasonOf(short, "A6"), /--requests 21$/);
  assertEquals(verdicts(view(new Made(), { requests: 8 }))[1], "A6 not measured");
});

Deno.test("A15 differs when a pool without a lifetime moves, or one with it stays or moves too late", () => {
  const at = (name: string, order: number) => (row: Row) => row.variant === name && row.order === order;
  const moved = where("requests", at("none/busy", 6), { address: NEW });
  const stayed = where("requests", at("lifetime/idle", 7), { address: OLD });
  const late = where("requests", at("lifetime/idle", 6), { address: OLD });
  const tooLate = view(new Made(late), { lifetime: "1s" });
  const twice = where("resolutions", ({ variant }) => variant === "none/idle", null);
  const runs = [view(new Made(moved)), view(new Made(stayed)), tooLate, view(new Made(twice))];
  assertEquals(runs.map((run) => verdicts(run)[2]), new Array(4).fill("A15 differs"));
});

Deno.test("A15 is not measured without requests after the move, or where the server was not reached", () => {
  const none = where("requests", ({ variant, order }) => variant === "none/idle" && Number(order) > 2, null);
  const unmoved = where("moves", () => true, null);
  const elsewhere = where("visits", ({ address }) => address === NEW, { address: OLD });
  const ended = where("moves", () => true, { endedMs: 4000 });
  const late = (table: string, row: Row) =>
    table === "requests" && row.variant === "lifetime/idle" && Number(row.order) >= 6
      ? { ...row, address: row.order === 6 ? OLD : NEW, dueMs: 0 }
      : row;
  const runs = [none, unmoved, elsewhere, ended, late].map((change) => view(new Made(change)));
  assertEquals(runs.map((run) => verdicts(run)[2]), new Array(5).fill("A15 not measured"));
  assertMatch(reasonOf(runs[3]!, "A15"), /ended 1250 ms after the move/);
  assertMatch(reasonOf(runs[4]!, "A15"), /began 7000 ms late/);
  assertMatch(reasonOf(runs[1]!, "A15"), /ended before the name moved/);
});

Deno.test("claims and figures of a part that was not measured name the parameter that would", () => {
  const empty = new Made(() => null);
  const run = view(empty, { part: "shared" });
  assertEquals(verdicts(run), ["A5 not measured", "A6 not measured", "A15 not measured"]);
  assertMatch(reasonOf(run, "A6"), /--part rotation/);
  assertMatch(reasonOf(run, "A15"), /--part blue-green/);
  const parts = { timeline: "rotation", move: "blue-green", cost: "sweep", burst: "sweep" };
  for (const [figure, part] of Object.entries(parts)) {
    assertThrows(() => experiment.figures[figure]!(run), RangeError, `run with --part ${part}, or all`);
  }
});

Deno.test("a figure of a run without rows says so instead of drawing nothing", () => {
  const run = view(new Made(() => null));
  for (const figure of ["timeline", "move", "cost"]) {
    assertThrows(() => experiment.figures[figure]!(run), RangeError, "Cannot draw", figure);
  }
});

Deno.test("timeline has a trace for each connection, with its port", () => {
  const { data } = experiment.figures.timeline!(view(new Made()));
  assertEquals(data.map(({ x, y }) => [x, y]), [
    [[0, 1, 2], [1, 1, 1]],
    [[3, 4, 5], [2, 2, 2]],
    [[6], [3]],
  ]);
  assertEquals(data.every(({ name }) => /^\d: port 4\d{4}$/.test(`${name}`)), true);
});

Deno.test("move counts the requests to the old address in each interval, and marks when the name moved", () => {
  const { data, layout } = experiment.figures.move!(view(new Made()));
  assertEquals(data.map(({ name }) => name), [...MOVING_VARIANTS]);
  assertEquals([data[0]!.x, data[0]!.y], [[0, 7], [1, 1]]);
  assertEquals([data[2]!.x, data[2]!.y], [[0, 5, 7], [1, 0, 0]]);
  assertEquals((layout.shapes as { x0: number }[])[0]!.x0, 2.75);
});

Deno.test("burst counts reconnects in a window, cost has a bar a lifetime", () => {
  const run = view(new Made());
  const burst = experiment.figures.burst!(run).data;
  assertEquals([burst[0]!.x, burst[0]!.y], [[0, 2.5, 2.6], [0, 3, 0]]);
  assertEquals(experiment.figures.cost!(run).data.map(({ x }) => x), [["1ms"], ["10ms"]]);
});

Deno.test("the experiment asks for the second address only where a name moves to it", () => {
  const ask = (given: Record<string, unknown>) => {
    const { values } = resolveParams(params, given);
    const servers = experiment.servers!(values).map(({ as, name }) => as ?? name);
    return { net: experiment.needs!(values).net, servers };
  };
  assertEquals(ask({}), { net: [OLD, NEW], servers: ["origin", "green"] });
  assertEquals(ask({ part: "blue-green" }), { net: [OLD, NEW], servers: ["origin", "green"] });
  assertEquals(ask({ part: "rotation" }), { net: [OLD], servers: ["origin"] });
});

Deno.test("the connections that sweep may open are few by default, and many for short lifetimes", () => {
  const count = (given: Record<string, unknown>) =>
    experiment.connections!(resolveParams(params, given).values);
  assertEquals(count({ sweepLifetimes: ["100ms"], sweepJitters: [0], rounds: 1, connections: 10 }), 52);
  assertEquals(count({ part: "shared" }), 7);
  assert(count({}) < 5000);
  assert(count({ sweepLifetimes: ["1ms", "1s"], rounds: 100 }) > 200_000);
});

Deno.test("a lifetime of 0 is refused with what it would do", () => {
  for (const lifetime of [0, "0", "0s", "0.5ms"]) {
    assertThrows(
      () => resolveParams(params, { lifetime }),
      Error,
      "it must be >= 1ms, as with 0 every connection would be closed after its first request",
    );
  }
});
