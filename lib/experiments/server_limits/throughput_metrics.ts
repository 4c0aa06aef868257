import { type Metric, metric } from "../../record/mod.ts";
import { type LoadArm, loadArms, loadMetrics, requestsPerSecond } from "../_shared/load_metrics.ts";
import { gaveOutMetrics } from "./gave_out_metrics.ts";
import type { RunTables } from "./mode.ts";
import { findPlateau, type Plateau } from "./plateau.ts";
import { type Evidence, type FailedAlike, type GaveOut, sidesOf } from "./sides.ts";

/** What is told of each load: of its other metrics the rows tell. */
const SHOWN: ReadonlySet<string> = new Set([
  ...["requestsPerSecond", "sent", "answered", "failed", "unfinished", "unsent", "fresh", "reused"],
  ...["serviceP50Ms", "serviceP99Ms", "serviceMaxMs", "responseP50Ms", "responseP99Ms", "responseMaxMs"],
]);

/** So many processors of other programs are felt by server and client, unless others are free. */
const OTHER_WORK = 0.5;
const ENOUGH_FREE = 1;

/** A load of a run, with what is known of the server meanwhile. */
export interface Rate {
  /** What came of the load. */
  readonly load: LoadArm;
  /** What was requested. */
  readonly path: string;
  /** Workers of the server; `null` where they are not known. */
  readonly workers: number | null;
  /** Connections at once. */
  readonly connections: number;
  /** Responses per second. */
  readonly ratePerSecond: number;
  /** Responses per second right before, with a connection for each worker; `null` without any. */
  readonly aloneRate: number | null;
  /** The median of the times from the actual start, in milliseconds; `null` without any. */
  readonly medianMs: number | null;
  /** What gave out. */
  readonly gaveOut: readonly GaveOut[];
  /** Whether other programs had so much of the processors that the rate is not the server's own. */
  readonly isCrowded: boolean;
}

/** The loads of one path on one server. */
export interface Curve {
  /** What was requested, and of how many workers. */
  readonly name: string;
  /** See {@linkcode Rate.path}. */
  readonly path: string;
  /** See {@linkcode Rate.workers}. */
  readonly workers: number | null;
  /** The loads, by their connections. */
  readonly rates: readonly Rate[];
  /** Where more connections brought no more responses; `null` where there is no such place. */
  readonly plateau: Plateau | null;
}

/**
 * The rates of a run, a curve for each path and number of workers.
 *
 * @param tables the raw tables
 * @returns the curves, in the order in which they were measured
 */
export function curvesOf(tables: RunTables): Curve[] {
  const loads = new Map(loadArms(tables).map((load) => [load.variant, load]));
  const rates = [...tables.rates.rows()].flatMap((row): Rate[] => {
    const load = loads.get(row.variant as string);
    if (load === undefined) return [];
    const workers = row.workers as number | null;
    const evidence: Evidence = {
      ...evidenceOf(load),
      serverCpuShare: shareOfEach(row.serverCpuShare as number | null, workers),
      machineBusyShare: row.machineBusyShare as number | null,
    };
    const gaveOut = sidesOf(evidence);
    return [{
      ...{ load, workers, gaveOut, path: row.path as string, connections: row.connections as number },
      ratePerSecond: requestsPerSecond(load) ?? 0,
      aloneRate: row.aloneRate as number | null,
      medianMs: load.service.percentileMs(50),
      isCrowded: isCrowded(row.otherCpuShare as number | null, row.freeCpuShare as number | null),
    }];
  });
  return [...Map.groupBy(rates, ({ path, workers }) => `${path} ${workers}`).values()].map((own) => {
    const [{ path, workers }] = own as [Rate];
    const name = workers === null ? path : `${path}, ${workersText(workers)}`;
    return { name, path, workers, rates: own, plateau: findPlateau(own) };
  });
}

/**
 * Whether a path is one that the lab's own server computes for.
 *
 * @param path what was requested, as {@linkcode Rate.path} has it
 * @returns `true` for `computing` and for `/compute`
 */
export function isComputed(path: string): boolean {
  return /^(computing$|\/compute)/.test(path);
}

/**
 * A number of workers for people.
 *
 * @param workers how many
 * @returns such as `2 workers`
 */
export function workersText(workers: number): string {
  return workers === 1 ? "1 worker" : `${workers} workers`;
}

function isCrowded(other: number | null, free: number | null): boolean {
  return other !== null && free !== null && other >= OTHER_WORK && free < ENOUGH_FREE;
}

/** A server that tells no number of workers may have any: how much of them it uses is not known. */
function shareOfEach(processors: number | null, workers: number | null): number | null {
  return processors === null || workers === null ? null : processors / workers;
}

/** What a load itself tells. */
function evidenceOf({ failures, counts }: LoadArm): Omit<Evidence, "serverCpuShare" | "machineBusyShare"> {
  return {
    failures: failures.map((failed): FailedAlike => ({ ...failed, connecting: false })),
    ...{ ended: 0, serverEnd: null, listenOverflows: null, queued: null, serverDescriptorsLeft: null },
    clientCpuShare: counts.cpuShare as number | null,
  };
}

/**
 * The metrics of the mode `throughput`.
 *
 * @param tables the raw tables
 * @returns those of every load, then those of the plateaus, then what gave out
 */
export function throughputMetrics(tables: RunTables): Metric[] {
  const curves = curvesOf(tables);
  return [
    ...curves.flatMap(({ rates }) =>
      rates.flatMap(({ load }) => loadMetrics(load, load.variant).filter(({ name }) => SHOWN.has(name)))
    ),
    ...curves.flatMap(plateauMetrics),
    ...curves.flatMap(({ name, rates }) => gaveOutMetrics(name, rates.at(-1)?.gaveOut ?? [])),
  ];
}

function plateauMetrics({ name: variant, plateau }: Curve): Metric[] {
  const reason = plateau === null ? "The rates have none: they still rise, fall, or are too few" : null;
  return [
    metric("plateauRequestsPerSecond", {
      variant,
      unit: "1/s",
      value: plateau?.ratePerSecond ?? null,
      reason,
    }),
    metric("plateauFromConnections", { variant, unit: "1", value: plateau?.from ?? null, reason }),
  ];
}
