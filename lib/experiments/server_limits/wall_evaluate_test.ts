import { build, encodeIntoCompressedBase64 } from "hdr-histogram-js";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ColumnTable, judge, MisuseError, resolveParams, type Row, type RunView } from "../../record/mod.ts";
import { clientWall } from "./client_wall.ts";
import type { RunTables } from "./mode.ts";
import { params, type Values } from "./params.ts";
import { type Tables, tables } from "./tables.ts";
import { throughput } from "./throughput.ts";
import { wallClaims } from "./wall_claims.ts";
import { wallFigures } from "./wall_figures.ts";

type Made = Record<keyof Tables, ColumnTable>;

function empty(): Made {
  return Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  ) as unknown as Made;
}

/** An arm of client-wall: some connections that came to be, and others that failed in one way. */
interface Wall {
  readonly variant: string;
  readonly wall: string;
  readonly opened: number;
  readonly failed: number;
  readonly kind: string;
  readonly side: string;
  readonly phase?: string;
  readonly arm?: Row;
  readonly cells?: Row;
  readonly active?: number | null;
}

const WALLS: readonly Wall[] = [
  {
    ...{ variant: "client-ports", wall: "client ports", opened: 4, failed: 2 },
    ...{ kind: "local-ports-exhausted", side: "client" },
  },
  {
    ...{ variant: "server-descriptors-deno", wall: "server descriptors", opened: 3, failed: 2 },
    ...{ kind: "reset", side: "server", active: null },
    arm: { serverEnd: "exit status 1: Too many open files (os error 24)" },
  },
  {
    ...{ variant: "server-descriptors-node", wall: "server descriptors", opened: 3, failed: 2 },
    ...{ kind: "timed-out", side: "unknown", phase: "wait" },
    cells: { queued: 2, serverFds: 30, serverDescriptors: 30 },
  },
  {
    ...{
      variant: "accept-queue",
      wall: "accept queue",
      opened: 0,
      failed: 4,
      kind: "timed-out",
      side: "unknown",
    },
    cells: { queued: 0, listenOverflows: 9 },
  },
  {
    ...{ variant: "client-descriptors", wall: "client descriptors", opened: 3, failed: 1 },
    ...{ kind: "descriptors-exhausted", side: "client" },
  },
];

function wallTables(walls: readonly Wall[] = WALLS): Made {
  const made = empty();
  for (const { variant, wall, opened, failed, kind, side, phase = "connect", arm, cells, active } of walls) {
    const none = Object.fromEntries(Object.keys(tables.readings).map((name) => [name, null]));
    made.arms.add({
      ...Object.fromEntries(Object.keys(tables.arms).map((name) => [name, null])),
      ...{
        variant,
        client: "epoll",
        subject: "node",
        servers: 1,
        asked: opened + failed,
        opened,
        failed,
        ...arm,
      },
    });
    const row = Object.fromEntries(Object.keys(tables.connections).map((name) => [name, null]));
    for (let place = 0; place < opened; place++) {
      made.connections.add({ ...row, variant, openMs: 1, status: 200 });
    }
    for (let place = 0; place < failed; place++) {
      made.connections.add({ ...row, variant, failurePhase: phase, failureKind: kind, failureSide: side });
    }
    made.readings.add({
      ...{ ...none, variant, moment: "held", server: 0, atServer: opened, atClient: opened, inFlight: 1 },
      active: active === undefined ? opened + 1 : active,
    });
    made.walls.add({
      ...{ variant, wall, ports: 4, clientFds: null, serverFds: null, serverDescriptors: null },
      ...{ listenOverflows: 0, queued: 0, ...cells },
    });
  }
  return made;
}

/** Rates of a server with one worker: a path, its rate at each number of connections, and the median time. */
interface Rates {
  readonly path: string;
  readonly rates: Readonly<Record<number, number>>;
  readonly clientCpuShare?: number;
  readonly serverCpuShare?: number;
  readonly otherCpuShare?: number;
  readonly freeCpuShare?: number;
  /** The rate of one connection right before that of so many. @default {the one that was measured} */
  readonly alone?: (connections: string) => number | null;
  /** Which share of the time a connection waits for its answer. @default {all of it} */
  readonly waiting?: number;
}

const CURVES: readonly Rates[] = [
  { path: "static", rates: { 1: 10_000, 4: 30_000, 16: 31_000 }, clientCpuShare: 0.99 },
  { path: "computing", rates: { 1: 120, 4: 124, 16: 122 } },
];

function rateTables(curves: readonly Rates[] = CURVES): Made {
  const made = empty();
  for (const curve of curves) {
    const { path, rates, clientCpuShare = 0.1, waiting = 1, alone = () => rates[1]! } = curve;
    const { serverCpuShare = 0.98, otherCpuShare = 0.1, freeCpuShare = 0.5 } = curve;
    for (const [size, rate] of Object.entries(rates)) {
      const [connections, variant] = [Number(size), `${path}, ${size}`];
      made.loads.add({
        ...Object.fromEntries(Object.keys(tables.loads).map((name) => [name, 0])),
        ...{
          variant,
          sent: rate,
          answered2xx: rate,
          elapsedMs: 1000,
          lastEndMs: 1000,
          cpuShare: clientCpuShare,
          lateness: null,
        },
        timerLateness: null,
      });
      const histogram = build({ lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000 });
      // With every connection waiting all the time, by Little's law.
      histogram.recordValue(Math.round(connections / rate * 1_000_000 * waiting));
      made.seconds.add({
        ...Object.fromEntries(Object.keys(tables.seconds).map((name) => [name, 0])),
        ...{ variant, service: encodeIntoCompressedBase64(histogram), response: "" },
      });
      made.rates.add({
        ...{ variant, arm: "workers-1", path, workers: 1, connections, aloneRate: alone(size) },
        ...{ serverCpuShare, otherCpuShare, freeCpuShare, machineBusyShare: 0.7 },
      });
    }
  }
  return made;
}

function view(made: Made, given: Record<string, unknown>): RunView<Values> {
  const { values, json } = resolveParams(params, given);
  return {
    ...{ id: "server-limits/1", status: "complete", params: json, values: values as Values, seed: 1 },
    ...{ tables: made, summary: [], claims: [], warnings: [], environment: null, value: () => null },
  };
}

const wallView = (walls?: readonly Wall[]) => view(wallTables(walls), { mode: "client-wall" });
const verdicts = (run: RunView<Values>) =>
  Object.fromEntries(judge(wallClaims, run).map(({ id, verdict }) => [id, verdict]));

/** The arms, with one of them changed. */
const changed = (variant: string, change: Partial<Wall>) =>
  WALLS.map((wall) => wall.variant === variant ? { ...wall, ...change } : wall);

Deno.test("client-wall names the side of every arm, with what it cost", () => {
  const metrics = clientWall.summarize(wallTables() as unknown as RunTables, {} as Values, 1);
  const costs = metrics.filter(({ name, value }) => name.startsWith("gaveOut") && value !== 0)
    .map(({ name, variant, value }) => [variant, name, value]);
  assertEquals(costs, [
    ["client-ports", "gaveOutClientPorts", 2],
    ["server-descriptors-deno", "gaveOutServer", 2],
    ["server-descriptors-node", "gaveOutServer", 2],
    ["accept-queue", "gaveOutAcceptQueue", 4],
    ["client-descriptors", "gaveOutClientDescriptors", 1],
  ]);
  const count = metrics.find(({ name }) => name === "localPortsExhaustedClient")!;
  assertEquals([count.variant, count.value], ["client-ports", 2]);
});

Deno.test("client-wall goes by the error, and not by what an arm was to run out of", () => {
  const starved = changed("client-descriptors", { opened: 0, failed: 4, kind: "local-ports-exhausted" });
  const metrics = clientWall.summarize(wallTables(starved) as unknown as RunTables, {} as Values, 1);
  const costs = metrics.filter(({ name, variant, value }) =>
    variant === "client-descriptors" && name.startsWith("gaveOut") && value !== 0
  );
  assertEquals(costs.map(({ name, value }) => [name, value]), [["gaveOutClientPorts", 4]]);
  assertEquals(verdicts(wallView(starved)).B5, "differs");
});

Deno.test("B4 and B5 hold where each failure is its own side's, and the server counts what was opened", () => {
  assertEquals(verdicts(wallView()), { B4: "holds", B5: "holds", B6: "not measured" });
});

Deno.test("B4 differs where the server counts other than was opened, or another side gave out too", () => {
  assertEquals(verdicts(wallView(changed("client-ports", { active: 4 }))).B4, "differs");
  assertEquals(
    verdicts(wallView(changed("client-ports", { kind: "refused", side: "server" }))).B4,
    "differs",
  );
  assertEquals(verdicts(wallView(changed("client-ports", { failed: 0 }))).B4, "differs");
  assertEquals(verdicts(wallView(WALLS.slice(1))).B4, "not measured");
});

Deno.test("B4 takes the kernel's count where the server does not tell", () => {
  assertEquals(verdicts(wallView(changed("client-ports", { active: null }))).B4, "holds");
});

Deno.test("B5 differs where a side did not run out, or another did", () => {
  assertEquals(verdicts(wallView(changed("client-descriptors", { failed: 0 }))).B5, "differs");
  const other = { arm: { serverEnd: "exit status 1: out of luck" } };
  assertEquals(verdicts(wallView(changed("server-descriptors-deno", other))).B5, "differs");
  const accepting = { cells: { queued: 2, serverFds: 300, serverDescriptors: 30 } };
  assertEquals(verdicts(wallView(changed("server-descriptors-node", accepting))).B5, "differs");
  assertEquals(verdicts(wallView(WALLS.slice(0, 4))).B5, "not measured");
});

Deno.test("throughput finds the plateaus, and whose processor bounds them", () => {
  const metrics = throughput.summarize(rateTables() as unknown as RunTables, {} as Values, 1);
  const of = (wanted: string) =>
    metrics.filter(({ name }) => name === wanted).map(({ variant, value }) => [variant, value]);
  assertEquals(of("plateauFromConnections"), [["static, 1 worker", 4], ["computing, 1 worker", 1]]);
  assertEquals(of("gaveOutProcessor"), [["static, 1 worker", 1], ["computing, 1 worker", 1]]);
  assertEquals(of("requestsPerSecond").length, 6);
  const [{ text }] = (wallFigures.sides(view(rateTables(), { mode: "throughput" })).layout as {
    annotations: [{ text: string }];
  }).annotations;
  assertEquals(text, "the client's");
});

Deno.test("B6 needs a flat rate, and a wait that the connections account for", () => {
  const rateView = (curves?: readonly Rates[]) => view(rateTables(curves), { mode: "throughput" });
  const [, , verdict] = judge(wallClaims, rateView());
  assertEquals([verdict!.verdict, verdict!.measured, verdict!.unit], ["holds", 122, "1/s"]);
  assertStringIncludes(verdict!.reason!, "122 per second at 16 connections");
  const computing = (change: Partial<Rates>) => verdicts(rateView([{ ...CURVES[1]!, ...change }])).B6;
  assertEquals(computing({ waiting: 0.5 }), "differs");
  assertEquals(computing({ rates: { 1: 120, 4: 240, 16: 241 } }), "differs");
  // A processor that slows down between loads is no sign of anything, and one that does during the first is none either.
  const slower = { 1: 200, 4: 201, 16: 151 };
  const alone = (size: string) => size === "16" ? 150 : 200;
  assertEquals(computing({ rates: slower }), "differs");
  assertEquals(computing({ rates: slower, alone }), "holds");
  assertEquals(computing({ rates: { 1: 150, 4: 200, 16: 200 }, alone: () => 200 }), "not measured");
  assertEquals(computing({ alone: () => null }), "not measured");
  // Beside other work a rate is no sign of anything, whatever it is.
  assertEquals(computing({ waiting: 0.5, otherCpuShare: 0.9 }), "not measured");
  assertEquals(computing({ otherCpuShare: 0.9 }), "not measured");
  assertEquals(computing({ otherCpuShare: 0.9, freeCpuShare: 1 }), "holds");
  assertEquals(verdicts(rateView(CURVES.slice(0, 1))).B6, "not measured");
  assertEquals(verdicts(rateView([{ path: "computing", rates: { 1: 120 } }])).B6, "not measured");
});

Deno.test("the figure of sides shows an arm in which nothing gave out as such", () => {
  const { data } = wallFigures.sides(wallView(changed("client-ports", { failed: 0 })));
  const [{ customdata }] = data as unknown as [{ customdata: string[][] }];
  assertEquals(customdata[0], ["", "", "", "", "", "nothing"]);
  assertEquals(customdata[4], ["", "", "client descriptors", "", "", ""]);
});

const REFUSED: readonly [given: Record<string, unknown>, message: string][] = [
  [{ ports: 201 }, "give an even number"],
  [{ ports: 500, connections: 500 }, "500 connections fit into 500"],
  [{ client: "fetch" }, "fetch does not tell what it opens"],
  [{ shards: 2 }, "leave out --shards"],
  [{ target: "http://localhost/" }, "leave out --target"],
];

for (const [given, message] of REFUSED) {
  Deno.test(`client-wall with ${JSON.stringify(given)} is refused`, () => {
    const { values } = resolveParams(params, { mode: "client-wall", ...given });
    assertThrows(() => clientWall.arms(values as Values), MisuseError, message);
  });
}

Deno.test("the arms of throughput are one worker and as many as are asked for, which no other server tells", () => {
  const arms = (given: Record<string, unknown>) =>
    throughput.arms(resolveParams(params, given).values as Values).map(({ workers }) => workers);
  assertEquals(arms({}), [1]);
  assertEquals(arms({ serverWorkers: 4 }), [1, 4]);
  assertEquals(arms({ serverWorkers: 4, target: "http://localhost/" }), [1]);
  assertThrows(() => arms({ connections: 4, threads: 8 }), MisuseError, "each of 8 threads needs one");
});
