import { type Latencies, readLatencies } from "../../load/mod.ts";
import {
  type FailureName,
  type Metric,
  metric,
  type Row,
  type Side,
  type TableData,
} from "../../record/mod.ts";
import { kindName } from "./kind_name.ts";
import type { LoadTables } from "./load_tables.ts";

/** Why a load has no times. */
export const NO_ANSWER = "No request was answered";

/** The names of times, by what they begin with: `serviceP50Ms`, `responseMaxMs`. */
const TIMES = [
  ["P50", 50],
  ["P90", 90],
  ["P99", 99],
  ["P999", 99.9],
  ["Max", 100],
] as const;

/** The tables of loads. */
export type LoadData = { readonly [K in keyof LoadTables]: TableData };

/** One load, as its rows tell it. */
export interface LoadArm {
  /** What it was. */
  readonly variant: string;
  /** Its counts, by the columns of the table `loads`. */
  readonly counts: Row;
  /** Responses of every class of status. */
  readonly answered: number;
  /** Responses with a status below 400. */
  readonly accepted: number;
  /** Times from the actual start. */
  readonly service: Latencies;
  /** Times from the intended start. */
  readonly response: Latencies;
  /** Failures, by kind and side. */
  readonly failures: readonly LoadFailures[];
}

/** Requests of a load that failed alike. */
export interface LoadFailures {
  /** How. */
  readonly kind: FailureName;
  /** Whose limit or fault it is. */
  readonly side: Side;
  /** How many. */
  readonly count: number;
}

/**
 * The loads of a run.
 *
 * @param tables the raw tables
 * @returns the loads, in the order in which they were made
 */
export function loadArms({ loads, seconds, failures }: LoadData): LoadArm[] {
  const [secondRows, failureRows] = [seconds, failures].map((table) =>
    Map.groupBy(table.rows(), ({ variant }) => variant as string)
  ) as [Map<string, Row[]>, Map<string, Row[]>];
  return [...loads.rows()].map((counts) => {
    const variant = counts.variant as string;
    const own = secondRows.get(variant) ?? [];
    const latencies = (column: "service" | "response") =>
      readLatencies(own.map((second) => second[column] as string | null ?? ""));
    const number = (name: string) => counts[name] as number;
    const accepted = number("answered2xx") + number("answered3xx");
    return {
      ...{ variant, counts, accepted },
      answered: accepted + number("answered4xx") + number("answered5xx") + number("answeredOther"),
      service: latencies("service"),
      response: latencies("response"),
      failures: byKind(failureRows.get(variant) ?? []),
    };
  });
}

/** Phases are told apart in the rows only. */
function byKind(rows: readonly Row[]): LoadFailures[] {
  const groups = Map.groupBy(rows, ({ failureKind, failureSide }) => `${failureKind} ${failureSide}`);
  return [...groups.values()].map((own) => ({
    kind: own[0]!.failureKind as FailureName,
    side: own[0]!.failureSide as Side,
    count: own.reduce((sum, { count }) => sum + (count as number), 0),
  }));
}

/**
 * How many responses came a second. An open loop is measured for as long as requests were due, so that the rate of
 * answers never exceeds that of requests. A closed one is measured up to the last response: at its end requests are on
 * their way, maybe as many as a server answers at once, and the time that went into them counts as little as they do.
 * A time without responses that is longer than any request took is no such remainder, and counts.
 *
 * @param arm the load
 * @returns the rate, in responses per second; `null` when requests began for no time at all
 */
export function requestsPerSecond({ answered, counts, service }: LoadArm): number | null {
  const [elapsedMs, lastEndMs] = [counts.elapsedMs as number, counts.lastEndMs as number];
  const isRemainder = elapsedMs - lastEndMs <= (service.percentileMs(100) ?? 0);
  const countedMs = isRemainder && !isOpenLoop(counts) ? lastEndMs : elapsedMs;
  return countedMs > 0 ? answered * 1000 / countedMs : null;
}

/** Only in an open loop a request has a time at which it should begin. */
function isOpenLoop({ lateness }: Row): boolean {
  return readLateness(lateness).count > 0;
}

/**
 * The metrics of a load: its counts, its rate, and its times from the actual start (service) and from the intended
 * one (response).
 *
 * @param arm the load
 * @param variant the arm of the metrics; `null` where the run is one load
 * @returns the metrics
 */
export function loadMetrics(arm: LoadArm, variant: string | null): Metric[] {
  const { counts, answered, failures } = arm;
  const count = (name: string, value = counts[name] as number) => metric(name, { variant, value, unit: "1" });
  const told = (name: string) => {
    const value = counts[name] as number | null;
    const reason = value === null ? "fetch does not tell which connection a request used" : null;
    return metric(name, { variant, value, unit: "1", reason });
  };
  const rate = requestsPerSecond(arm);
  return [
    metric("requestsPerSecond", {
      ...{ variant, unit: "1/s", value: rate, reason: rate === null ? "No time passed" : null },
    }),
    count("sent"),
    count("answered", answered),
    count("answeredWithError", answered - arm.accepted),
    count("failed"),
    ...failures.map(({ kind, side, count: value }) => count(kindName(kind, side), value)),
    count("unfinished"),
    count("unsent"),
    ...["fresh", "reused", "connections"].map((name) => told(name)),
    ...timeMetrics("service", arm.service, variant),
    ...timeMetrics("response", arm.response, variant),
    latenessMetric("latenessP99Ms", counts.lateness, variant),
    latenessMetric("timerLatenessP99Ms", counts.timerLateness, variant),
    metric("bodyBytes", { variant, unit: "By", value: counts.bodyBytes as number }),
    shareMetric("clientCpuShare", counts.cpuShare as number | null, variant),
    shareMetric("clientWaitShare", counts.waitShare as number | null, variant),
  ];
}

function latenessMetric(name: string, encoded: unknown, variant: string | null): Metric {
  const late = readLateness(encoded);
  const reason = late.count === 0 ? "In a closed loop no request has a time at which it should begin" : null;
  return metric(name, { variant, unit: "ms", value: late.percentileMs(99), reason });
}

function readLateness(encoded: unknown): Latencies {
  return readLatencies([encoded as string | null ?? ""]);
}

function shareMetric(name: string, value: number | null, variant: string | null): Metric {
  const reason = value === null ? "This system does not tell it, or the load was too short for it" : null;
  return metric(name, { variant, unit: "1", value, reason });
}

function timeMetrics(name: string, times: Latencies, variant: string | null): Metric[] {
  const reason = times.count === 0 ? NO_ANSWER : null;
  return TIMES.map(([suffix, percentile]) =>
    metric(`${name}${suffix}Ms`, { variant, unit: "ms", value: times.percentileMs(percentile), reason })
  );
}
