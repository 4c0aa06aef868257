import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { ColumnTable, resolveParams } from "../../record/mod.ts";
import { changesOf, expectedChanges } from "./changes.ts";
import { type Change, Made, NEW, OLD, pick, reasonOf, verdicts, view, where } from "./_made_run.ts";
import experiment from "./mod.ts";
import { params } from "./params.ts";
import { peakWithin } from "./reconnects.ts";
import { tables } from "./tables.ts";
import { MOVING_VARIANTS } from "./variants.ts";

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

Deno.test("a peak is not given where looks came further apart than what is counted", () => {
  const late = where("reconnects", ({ jitter, connection }) => jitter === 0.3 && connection === 5, {
    sinceMs: 101,
  });
  assertEquals(Object.values(pick(view(new Made(late)), "peakReconnects")), [3, 2, null]);
  // A look each 20 ms, of which 200 ms of the experiment pass: too few, however idle the machine.
  assertEquals(Object.values(pick(view(new Made(), { speed: 10 }), "peakReconnects")), [null, null, null]);
});

Deno.test("peakWithin() counts what lies in a window, of however many", () => {
  const timesMs = Array.from({ length: 150_000 }, (_, index) => index);
  assertEquals([peakWithin(timesMs, 100), peakWithin([], 100)], [100, 0]);
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
  assertEquals([data[0]!.x, data[0]!.y], [[0, 6.75], [1, 1]]);
  assertEquals([data[2]!.x, data[2]!.y], [[0, 4.75, 6.75], [1, 0, 0]]);
  assertEquals((layout.shapes as { x0: number }[])[0]!.x0, 2.75);
});

Deno.test("move has an interval that ends when the name moves, so that none is before and after it", () => {
  // All requests after the move are to the new address: were an interval astride, it would be halved.
  const atOnce: Change = (table, row) => {
    if (table !== "requests" || row.variant !== "lifetime/busy") return row;
    return Number(row.startMs) > 2750 ? { ...row, address: NEW } : row;
  };
  for (const movedMs of [2750, 2900]) {
    const moved = where("moves", () => true, { movedMs });
    const run = view(new Made((table, row) => moved(table, atOnce(table, row)!)));
    const { data } = experiment.figures.move!(run);
    const { x, y } = data.find(({ name }) => name === "lifetime/busy") as unknown as Record<string, number[]>;
    assertEquals([x![1], y], [movedMs / 1000, [1, 0, 0]]);
  }
});

Deno.test("move draws pools with a lifetime so that a line below is seen", () => {
  const { data } = experiment.figures.move!(view(new Made()));
  assertEquals(data.map(({ line }) => (line as { dash?: string }).dash), [
    undefined,
    undefined,
    "dash",
    "dash",
  ]);
});

Deno.test("burst counts reconnects in a window, cost has a bar a lifetime", () => {
  const run = view(new Made());
  const burst = experiment.figures.burst!(run).data;
  assertEquals([burst[0]!.x, burst[0]!.y], [[0, 2.5, 2.6, 6.25], [0, 3, 0, 0]]);
  assertEquals(experiment.figures.cost!(run).data.map(({ x }) => x), [["1ms"], ["10ms"]]);
});

Deno.test("burst ends with the run, not with the last window, and is without an end where the run was stopped", () => {
  const late = where("reconnects", ({ jitter, connection }) => jitter === 0 && connection === 6, {
    atMs: 6200,
  });
  const run = view(new Made(late));
  const { data, layout } = experiment.figures.burst!(run);
  assertEquals([data[0]!.x, data[0]!.y], [[0, 2.5, 2.6, 6.2, 6.25], [0, 2, 0, 1, 1]]);
  assertEquals((layout.shapes as { x0: number }[]).map(({ x0 }) => x0), [6.25]);
  const stopped = experiment.figures.burst!({ ...run, status: "incomplete" });
  assertEquals(stopped.data[0]!.x, [0, 2.5, 2.6, 6.2, 6.3]);
  assertEquals("shapes" in stopped.layout, false);
});

Deno.test("burst says of which lines the summary gives no peak, and why", () => {
  const heading = (run: ReturnType<typeof view>) =>
    JSON.stringify(experiment.figures.burst!(run).layout.title).replaceAll("<br>", " ");
  assertEquals(heading(view(new Made())).includes("no peak"), false);
  const late = where("reconnects", ({ jitter, connection }) => jitter === 0.3 && connection === 5, {
    sinceMs: 101,
  });
  assertMatch(heading(view(new Made(late))), /no peak of jitter=0\.3: A look .* 101 ms after/);
  assertMatch(
    heading(view(new Made(), { speed: 10 })),
    /no peak of jitter=0, jitter=0\.1, jitter=0\.3: A look .* 20 ms after the one before, 200 ms of the experiment's/,
  );
});

Deno.test("what a reconnect takes has an interval over rounds, and what is derived of it two digits", () => {
  const uneven: Change = (table, row) =>
    table === "blocks" ? { ...row, freshMs: Number(row.freshMs) * (1 + Number(row.round) / 7) } : row;
  const { summary } = view(new Made(uneven));
  const [reconnect] = summary.filter(({ name }) => name === "reconnectMs");
  const { value, low, high } = reconnect!;
  assert(low! < value! && value! < high!);
  const added = summary.filter(({ name }) => name === "addedPerRequestMs");
  assertEquals(added.length, 2);
  for (const { value, low, high } of added) {
    for (const number of [value!, low!, high!]) assertEquals(number, Number(number.toPrecision(2)));
    assert(low! < high!);
  }
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
