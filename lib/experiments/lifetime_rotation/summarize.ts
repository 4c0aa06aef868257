import { type Metric, metric, type TableData } from "../../record/mod.ts";
import { bootstrapMean, type Estimate, randomSource } from "../../stats/mod.ts";
import { changesOf, rowsOf } from "./changes.ts";
import { type Values } from "./params.ts";
import { PEAK_WINDOW_MS, peakWithin, type Reconnects, reconnectTimes } from "./reconnects.ts";
import type { Tables } from "./tables.ts";
import { timeToMove } from "./time_to_move.ts";
import { jitters, MOVING_VARIANTS, VARIANTS } from "./variants.ts";

type Data = { readonly [K in keyof Tables]: TableData };

/** As many changes are named as fit into a table for people; their number is given in any case. */
const MOST_CHANGES = 10;

/**
 * The metrics of `lifetime-rotation`, from its raw rows. Times that lifetimes and intervals decide
 * (`changesAtMs`, `timeToMoveMs`) and the window of `peakReconnects` are the experiment's: real ones times
 * `speed`. Costs are real. Their intervals are 95 % percentile bootstraps over rounds. `addedPerRequestMs` is
 * derived, and given to two digits.
 *
 * @param tables the raw tables
 * @param values the parameters
 * @param seed the seed of the resampling
 * @returns the metrics of the parts that were measured
 */
export function summarize(tables: Data, values: Values, seed: number): Metric[] {
  return [
    metric("speed", { value: values.speed, unit: "1" }),
    ...requestMetrics(tables),
    ...changeMetrics(tables, values),
    ...moveMetrics(tables, values),
    ...costMetrics(tables.blocks, randomSource(seed)),
    ...burstMetrics(tables.reconnects, values),
  ];
}

function requestMetrics(tables: Data): Metric[] {
  const kinds = tables.requests.texts("failureKind");
  return VARIANTS.flatMap((variant) => {
    const rows = rowsOf(tables.requests, variant);
    if (rows.length === 0) return [];
    const count = (name: string, value: number) => metric(name, { variant, value, unit: "1" });
    const [pool] = rowsOf(tables.pools, variant);
    const opened = pool === undefined ? null : tables.pools.numbers("opened")[pool]!;
    return [
      count("requests", rows.length),
      count("failed", rows.filter((row) => kinds[row] !== null).length),
      metric("connections", {
        ...{ variant, unit: "1", value: opened },
        ...(opened === null ? { reason: "The part did not come to its end" } : {}),
      }),
      count("resolutions", rowsOf(tables.resolutions, variant).length),
    ];
  });
}

/** When a request came over another connection than the one before it. */
function changeMetrics({ requests }: Data, { interval }: Values): Metric[] {
  if (rowsOf(requests, "rotation").length === 0) return [];
  const changes = changesOf(requests);
  return [
    metric("changes", { variant: "rotation", value: changes.length, unit: "1" }),
    ...changes.slice(0, MOST_CHANGES).map((order, index) =>
      metric("changesAtMs", { variant: `rotation/${index + 1}`, value: order * interval, unit: "ms" })
    ),
  ];
}

function moveMetrics(tables: Data, values: Values): Metric[] {
  return MOVING_VARIANTS.flatMap((variant) => {
    if (rowsOf(tables.requests, variant).length === 0) return [];
    const { ms, reason } = timeToMove(tables, variant, values);
    return [metric("timeToMoveMs", { variant, value: ms, unit: "ms", reason })];
  });
}

/** The blocks of one lifetime. */
interface Arm {
  readonly variant: string;
  readonly lifetimeMs: number;
  readonly rows: readonly number[];
}

function costMetrics(blocks: TableData, random: () => number): Metric[] {
  const names = new Set(blocks.texts("variant") as readonly string[]);
  const arms = [...names].map((variant): Arm => ({
    variant,
    lifetimeMs: variant === "none" ? Infinity : Number.parseFloat(variant),
    rows: rowsOf(blocks, variant),
  })).sort((left, right) => left.lifetimeMs - right.lifetimeMs);
  const limited = arms.filter(({ variant }) => variant !== "none");
  return [
    ...limited.map((arm) => addedMetric(blocks, arm, random)),
    ...limited.map((arm) => requestsPerReconnect(blocks, arm)),
    ...arms.map((arm) => elapsedMetric(blocks, arm, random)),
    ...(limited.length === 0 ? [] : [reconnectMetric(blocks, limited, random)]),
  ];
}

/**
 * What reconnects add to the time of a request in the mean, which nobody measured on any of them: how much
 * longer those with a reconnect took than the others of the same block, divided by the number of all. Against
 * blocks of another lifetime it would drown in what else the machine does meanwhile.
 */
function addedMetric(blocks: TableData, { variant, rows }: Arm, random: () => number): Metric {
  const reason = whyNoTimes(blocks, rows);
  if (reason !== null) return metric("addedPerRequestMs", { variant, value: null, unit: "ms", reason });
  const [requests, fresh, freshMs, reusedMs] = ["requests", "fresh", "freshMs", "reusedMs"]
    .map((name) => blocks.numbers(name)) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const added = rows.filter((row) => fresh[row]! < requests[row]!).map((row) => {
    const reusedMeanMs = reusedMs[row]! / (requests[row]! - fresh[row]!);
    return (freshMs[row]! - fresh[row]! * reusedMeanMs) / requests[row]!;
  });
  return added.length === 0
    ? metric("addedPerRequestMs", { variant, value: null, unit: "ms", reason: "Every request reconnected" })
    : metric("addedPerRequestMs", {
      ...{ variant, unit: "ms" },
      ...withDigits(bootstrapMean(added, { random }), DERIVED_DIGITS),
    });
}

/** As many digits as such an interval bears out. */
const DERIVED_DIGITS = 2;

function withDigits({ value, low, high }: Estimate, digits: number): Estimate {
  const rounded = (number: number) => Number(number.toPrecision(digits));
  const orNull = (number: number | null) => number === null ? null : rounded(number);
  return { value: rounded(value), low: orNull(low), high: orNull(high) };
}

/** The time of a request in the mean, closing of old connections included. */
function elapsedMetric(blocks: TableData, { variant, rows }: Arm, random: () => number): Metric {
  const reason = whyNoTimes(blocks, rows);
  if (reason !== null) return metric("elapsedPerRequestMs", { variant, value: null, unit: "ms", reason });
  const [elapsedMs, requests] = [blocks.numbers("elapsedMs"), blocks.numbers("requests")];
  const means = rows.map((row) => elapsedMs[row]! / requests[row]!);
  return metric("elapsedPerRequestMs", { variant, unit: "ms", ...bootstrapMean(means, { random }) });
}

function requestsPerReconnect(blocks: TableData, { variant, rows }: Arm): Metric {
  const [requests, fresh] = [sumOf(blocks, "requests", rows), sumOf(blocks, "fresh", rows)];
  return fresh === 0
    ? metric("requestsPerReconnect", { variant, value: null, unit: "1", reason: "There was no reconnect" })
    : metric("requestsPerReconnect", { variant, value: requests / fresh, unit: "1" });
}

/** How much longer a request takes for which a connection is opened, in the mean over the lifetimes of a round. */
function reconnectMetric(blocks: TableData, arms: readonly Arm[], random: () => number): Metric {
  const rows = arms.flatMap((arm) => arm.rows);
  const rounds = blocks.numbers("round");
  const longer = [...Map.groupBy(rows, (row) => rounds[row]!).values()].flatMap((rows) => {
    const sum = (column: string) => sumOf(blocks, column, rows);
    const fresh = sum("fresh");
    const reused = sum("requests") - fresh;
    return fresh === 0 || reused === 0 ? [] : [sum("freshMs") / fresh - sum("reusedMs") / reused];
  });
  const reason = whyNoTimes(blocks, rows) ??
    (longer.length === 0 ? "There were not both requests with a reconnect and without" : null);
  return reason === null
    ? metric("reconnectMs", { unit: "ms", ...bootstrapMean(longer, { random }) })
    : metric("reconnectMs", { value: null, unit: "ms", reason });
}

function whyNoTimes(blocks: TableData, rows: readonly number[]): string | null {
  const failed = sumOf(blocks, "failed", rows);
  return failed === 0 ? null : `${failed} requests failed, and a failure takes a time of its own`;
}

function sumOf(table: TableData, column: string, rows: readonly number[]): number {
  const values = table.numbers(column);
  return rows.reduce((total, row) => total + values[row]!, 0);
}

/** The most reconnects in any 100 ms, the connections of the beginning left out. */
function burstMetrics(reconnects: TableData, values: Values): Metric[] {
  if (reconnects.length === 0) return [];
  return jitters(values).map((jitter) => {
    const times = reconnectTimes(reconnects, jitter);
    const reason = whyNoPeak(times, values);
    const value = reason === null ? peakWithin(times.timesMs, PEAK_WINDOW_MS / values.speed) : null;
    return metric("peakReconnects", { variant: `jitter=${jitter}`, value, unit: "1", reason });
  });
}

function whyNoPeak({ timesMs, failed, coarsestMs }: Reconnects, { speed }: Values): string | null {
  if (failed > 0) return `${failed} connections could not be opened`;
  if (timesMs.length === 0) return "No connection was opened anew while they were watched";
  // What became due between two looks is seen at the second, all at once.
  const coarseMs = coarsestMs * speed;
  return coarseMs > PEAK_WINDOW_MS
    ? `A look at the connections came ${Math.round(coarsestMs)} ms after the one before` +
      (speed === 1 ? "" : `, ${Math.round(coarseMs)} ms of the experiment's time`) +
      `, and counts are per ${PEAK_WINDOW_MS} ms: the machine is busy, or --speed too high`
    : null;
}
