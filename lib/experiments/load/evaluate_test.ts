import { assertEquals, assertThrows } from "@std/assert";
import { build, encodeIntoCompressedBase64 } from "hdr-histogram-js";
import {
  ColumnTable,
  type Metric,
  MisuseError,
  resolveParams,
  type Row,
  type RunView,
} from "../../record/mod.ts";
import type { LoadData } from "../_shared/load_metrics.ts";
import experiment from "./mod.ts";
import { params, type Values } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";

function encoded(...ms: readonly number[]): string {
  const histogram = build({ lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000 });
  for (const value of ms) histogram.recordValue(value * 1000);
  return encodeIntoCompressedBase64(histogram);
}

const NONE = { answered3xx: 0, answered4xx: 0, answered5xx: 0, answeredOther: 0 };

/** A load of 1.5 s: seven requests sent, of which one failed and one was on its way. */
const LOAD: Row = {
  ...{
    variant: "epoll",
    sent: 7,
    unsent: 1,
    ...NONE,
    answered2xx: 4,
    answered5xx: 1,
    failed: 1,
    unfinished: 1,
  },
  ...{
    fresh: 2,
    reused: 5,
    bodyBytes: 500,
    elapsedMs: 1500,
    lastEndMs: 1400,
    connections: 2,
    cpuShare: 0.5,
    waitShare: null,
  },
  ...{ lateness: encoded(0.1, 0.2), timerLateness: encoded(0.1) },
};

const SECONDS: readonly Row[] = [
  {
    ...{ variant: "epoll", second: 0, sent: 4, ...NONE, answered2xx: 3, failed: 1, bodyBytes: 300 },
    ...{ service: encoded(1, 2, 3), response: encoded(1, 2, 3) },
  },
  {
    ...{
      variant: "epoll",
      second: 1,
      sent: 3,
      ...NONE,
      answered2xx: 1,
      answered5xx: 1,
      failed: 0,
      bodyBytes: 200,
    },
    ...{ service: encoded(4, 5), response: encoded(400, 500) },
  },
];

function runTables(
  load: Row = LOAD,
  seconds: readonly Row[] = SECONDS,
): LoadData & { requests: ColumnTable } {
  const made = Object.fromEntries(
    Object.entries(tables).map(([name, schema]) => [name, new ColumnTable(name, schema)]),
  ) as unknown as Record<keyof typeof tables, ColumnTable>;
  made.loads.add(load);
  for (const second of seconds) made.seconds.add(second);
  const failed = { variant: "epoll", failureKind: "reset", failureSide: "server" };
  made.failures.add({ ...failed, failurePhase: "wait", count: 1 });
  return made;
}

function valueOf(metrics: readonly Metric[], name: string): number | null {
  return metrics.find((metric) => metric.name === name)!.value;
}

Deno.test("summarize() accounts for every request, and gives times of all seconds together", () => {
  const metrics = summarize(runTables());
  assertEquals(metrics.every(({ variant }) => variant === null), true);
  const counts = ["sent", "answered", "answeredWithError", "failed", "resetServer", "unfinished", "unsent"];
  assertEquals(counts.map((name) => valueOf(metrics, name)), [7, 5, 1, 1, 1, 1, 1]);
  assertEquals(["fresh", "reused", "connections"].map((name) => valueOf(metrics, name)), [2, 5, 2]);
  assertEquals(valueOf(metrics, "requestsPerSecond"), 5 / 1.5);
  const near = (name: string) => Math.round(valueOf(metrics, name)!);
  assertEquals(["serviceP50Ms", "serviceMaxMs", "responseP50Ms", "responseMaxMs"].map(near), [3, 5, 3, 500]);
});

/** The rate of a load whose last response came then. */
const rateOf = (load: Row) => (lastEndMs: number) =>
  valueOf(summarize(runTables({ ...load, lastEndMs })), "requestsPerSecond");

Deno.test("summarize() counts a closed loop up to its last response, unless a longer time than any passed without", () => {
  const rate = rateOf({ ...LOAD, lateness: null, timerLateness: null });
  assertEquals([1500, 1496, 1400, 0].map(rate), [5 / 1.5, 5 / 1.496, 5 / 1.5, 5 / 1.5]);
});

Deno.test("summarize() counts all of an open loop: its rate of answers never exceeds that of requests", () => {
  assertEquals([1500, 1496, 1400, 0].map(rateOf(LOAD)), [5 / 1.5, 5 / 1.5, 5 / 1.5, 5 / 1.5]);
});

Deno.test("summarize() says why there is no number: nothing was answered, nothing was told", () => {
  const metrics = summarize(runTables({ ...LOAD, fresh: null, reused: null, connections: null }, []));
  const reasons = (name: string) => metrics.find((metric) => metric.name === name)!.reason;
  assertEquals(reasons("serviceP99Ms"), "No request was answered");
  assertEquals(reasons("fresh"), "fetch does not tell which connection a request used");
  assertEquals(reasons("clientWaitShare"), "This system does not tell it, or the load was too short for it");
  const closed = summarize(runTables({ ...LOAD, lateness: null }));
  assertEquals(valueOf(closed, "latenessP99Ms"), null);
});

function view(made: LoadData, given: Record<string, unknown> = {}): RunView<Values> {
  const { values, json } = resolveParams(params, given);
  return {
    ...{ id: "load/1", status: "complete", params: json, values: values as Values, seed: 1 },
    ...{ tables: { ...made }, summary: [], claims: [], warnings: [], environment: null },
    value: () => null,
  };
}

const figure = (name: string, run: RunView<Values>) => experiment.figures[name]!(run);

Deno.test("the figures show response times beside service times in an open loop only", () => {
  const names = (rate: unknown, name: string) =>
    figure(name, view(runTables(), { rate })).data.map((trace) => trace.name);
  assertEquals(names("none", "latency"), ["service, from the actual start"]);
  assertEquals(names(100, "latency").length, 2);
  assertEquals(names("none", "tail").length, 3);
  assertEquals(names(100, "tail").length, 6);
});

Deno.test("the rate of a second that was cut short is that of what there was of it", () => {
  const { data } = figure("rate", view(runTables()));
  assertEquals(data.map(({ name, y }) => [name, y]), [
    ["sent", [4, 6, 6]],
    ["answered with 2xx", [3, 2, 2]],
    ["failed", [1, 0, 0]],
  ]);
  assertEquals(data[0]!.x, [0, 1, 1.5]);
});

Deno.test("the figures show the seconds that a load had before it was killed", () => {
  const killed = view({ ...runTables(), loads: new ColumnTable("loads", tables.loads) });
  assertEquals(figure("rate", killed).data[0]!.x, [0, 1, 2]);
  assertEquals(figure("latency", killed).data.length, 1);
});

Deno.test("a figure of times needs an answer", () => {
  assertThrows(() => figure("latency", view(runTables(LOAD, []))), RangeError, "there are no values");
});

const REFUSED: readonly [given: Record<string, unknown>, message: string][] = [
  [{ rate: 0 }, "rate as it must be >= 0.001, or none"],
  [{ rate: -5 }, "rate as it must be >= 0.001, or none"],
  [{ rate: "1,5" }, "with a point for decimals (1.5)"],
  [{ duration: 0 }, "duration as it must be >= 100ms"],
  [{ connections: 0 }, "connections as it must be >= 1"],
  [{ threads: 30, shards: 2 }, "Cannot make load with 50 connections as each of 60 threads needs one"],
  [{ path: "static" }, 'Cannot request path "static" as it must begin with one /'],
  [{ path: "//example.test/" }, 'Cannot request path "//example.test/"'],
  [{ path: "/a b" }, 'Cannot request path "/a b"'],
  [{ target: "https://localhost/" }, "must be a URL that begins with http://"],
  [
    { target: "http://example.test/" },
    "Cannot load example.test as it is not loopback and was not named with",
  ],
];

for (const [given, message] of REFUSED) {
  Deno.test(`a load with ${JSON.stringify(given)} is refused before anything starts`, () => {
    assertThrows(
      () => experiment.needs!(resolveParams(params, given).values),
      MisuseError,
      message,
    );
  });
}

Deno.test("a load reaches for its target and this machine only", () => {
  const netOf = (given: Record<string, unknown>) =>
    experiment.needs!(resolveParams(params, given).values).net;
  assertEquals(netOf({}), ["127.0.0.1"]);
  assertEquals(netOf({ target: "http://example.test/", allowRemote: "example.test" }), [
    ...["127.0.0.1", "example.test:80"],
  ]);
});
