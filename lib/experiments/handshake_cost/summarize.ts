import { type Metric, metric, type TableData } from "../../record/mod.ts";
import { bootstrapMean, bootstrapRatio, randomSource } from "../../stats/mod.ts";
import type { Tables } from "./tables.ts";

/** One variant's rounds, in order. */
interface Arm {
  readonly variant: string;
  readonly requests: readonly number[];
  readonly failed: number;
  readonly statuses: ReadonlySet<number>;
  readonly elapsedMs: readonly number[];
  readonly rounds: TableData;
  readonly rows: readonly number[];
}

/**
 * The metrics of `handshake-cost`, from its raw rows. Intervals are 95 % percentile bootstraps over rounds,
 * the ratio over pairs of rounds. Times of a round with failures, or with unlike answers, are no times of
 * requests and are not given.
 *
 * @param tables the raw tables
 * @param seed the seed of the resampling
 * @returns the metrics
 */
export function summarize(tables: { readonly [K in keyof Tables]: TableData }, seed: number): Metric[] {
  const arms = armsOf(tables.rounds, tables.requests);
  const random = randomSource(seed);
  return [
    ...arms.flatMap((arm) => armMetrics(arm, random)),
    ...["fetch", "raw"].flatMap((client) => ratioMetrics(client, arms, random)),
  ];
}

function armsOf(rounds: TableData, requests: TableData): Arm[] {
  const variants = rounds.texts("variant");
  const numbers = (column: string) => rounds.numbers(column);
  const statuses = statusesOf(requests);
  return [...new Set(variants)].sort().map((variant) => {
    const rows = [...variants.keys()].filter((row) => variants[row] === variant)
      .sort((left, right) => numbers("round")[left]! - numbers("round")[right]!);
    return {
      variant: variant!,
      rounds,
      rows,
      requests: rows.map((row) => numbers("requests")[row]!),
      failed: rows.reduce((total, row) => total + numbers("failed")[row]!, 0),
      statuses: statuses.get(variant!) ?? new Set(),
      elapsedMs: rows.map((row) => numbers("elapsedMs")[row]!),
    };
  });
}

/** The status codes that each variant was answered with. */
function statusesOf(requests: TableData): Map<string, Set<number>> {
  const variants = requests.texts("variant");
  const codes = requests.numbers("status");
  const statuses = new Map<string, Set<number>>();
  for (const [row, variant] of variants.entries()) {
    if (!statuses.has(variant!)) statuses.set(variant!, new Set());
    if (!Number.isNaN(codes[row])) statuses.get(variant!)!.add(codes[row]!);
  }
  return statuses;
}

function armMetrics(arm: Arm, random: () => number): Metric[] {
  const { variant } = arm;
  const reason = whyNoTimes([arm]);
  return [
    perRound(arm, "requests", "requests", null),
    metric("failed", { variant, value: arm.failed, unit: "1" }),
    perRound(arm, "connections", "connections", "connectionsReason"),
    reason === null
      ? metric("elapsedMs", { variant, unit: "ms", ...bootstrapMean(arm.elapsedMs, { random }) })
      : metric("elapsedMs", { variant, unit: "ms", value: null, reason }),
    perRound(arm, "timeWaitAddedClient", "timeWaitClient", "timeWaitReason"),
    perRound(arm, "timeWaitAddedServer", "timeWaitServer", "timeWaitReason"),
  ];
}

/** Why the times of these arms are no times of like requests; `null` when they are. */
function whyNoTimes(arms: readonly Arm[]): string | null {
  const failed = arms.reduce((total, arm) => total + arm.failed, 0);
  if (failed > 0) return `${failed} requests failed, and a failure takes a time of its own`;
  const statuses = new Set(arms.flatMap((arm) => [...arm.statuses]));
  if (statuses.size > 1) {
    return `Requests were answered unlike each other: status ${[...statuses].join(" and ")}`;
  }
  return null;
}

/** A count that every round of an arm should share; where rounds differ there is a range and no value. */
function perRound(arm: Arm, name: string, column: string, reasonColumn: string | null): Metric {
  const { rounds, rows, variant } = arm;
  const counts = rows.map((row) => rounds.numbers(column)[row]!);
  const missing = counts.findIndex(Number.isNaN);
  if (missing >= 0) {
    const reason = reasonColumn === null ? null : rounds.texts(reasonColumn)[rows[missing]!];
    return metric(name, { variant, value: null, unit: "1", reason: reason ?? "Not counted" });
  }
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  if (low === high) return metric(name, { variant, value: low, unit: "1" });
  return metric(name, {
    variant,
    value: null,
    unit: "1",
    low,
    high,
    reason: `Rounds differ: ${low} to ${high}`,
  });
}

function ratioMetrics(client: string, arms: readonly Arm[], random: () => number): Metric[] {
  const fresh = arms.find(({ variant }) => variant === `${client}/new`);
  const kept = arms.find(({ variant }) => variant === `${client}/shared`);
  if (!fresh || !kept) return [];
  const why = whyNoTimes([fresh, kept]);
  if (why !== null) {
    const none = { variant: client, value: null, reason: `Not compared: ${why}` };
    return [
      metric("elapsedRatio", { ...none, unit: "1" }),
      metric("addedPerRequestMs", { ...none, unit: "ms" }),
    ];
  }
  const pairs = { numerators: fresh.elapsedMs, denominators: kept.elapsedMs };
  const added = fresh.elapsedMs.map((elapsedMs, index) =>
    (elapsedMs - kept.elapsedMs[index]!) / fresh.requests[index]!
  );
  return [
    metric("elapsedRatio", { variant: client, unit: "1", ...bootstrapRatio(pairs, { random }) }),
    metric("addedPerRequestMs", { variant: client, unit: "ms", ...bootstrapMean(added, { random }) }),
  ];
}
