import { type Metric, metric, type TableData } from "../../record/mod.ts";
import { bootstrapMean, bootstrapRatio, randomSource } from "../../stats/mod.ts";
import type { Tables } from "./tables.ts";

/** One variant's rounds, in order. */
interface Arm {
  readonly variant: string;
  readonly requests: readonly number[];
  readonly failed: number;
  readonly elapsedMs: readonly number[];
  readonly rounds: TableData;
  readonly rows: readonly number[];
}

/**
 * The metrics of `handshake-cost`, from its rounds. Intervals are percentile bootstraps over rounds, the
 * ratio over pairs of rounds.
 *
 * @param tables the raw tables
 * @param seed the seed of the resampling
 * @returns the metrics
 */
export function summarize(tables: { readonly [K in keyof Tables]: TableData }, seed: number): Metric[] {
  const arms = armsOf(tables.rounds);
  const random = randomSource(seed);
  return [
    ...arms.flatMap((arm) => armMetrics(arm, random)),
    ...["fetch", "raw"].flatMap((client) => ratioMetrics(client, arms, random)),
  ];
}

function armsOf(rounds: TableData): Arm[] {
  const variants = rounds.texts("variant");
  const numbers = (column: string) => rounds.numbers(column);
  return [...new Set(variants)].sort().map((variant) => {
    const rows = [...variants.keys()].filter((row) => variants[row] === variant)
      .sort((left, right) => numbers("round")[left]! - numbers("round")[right]!);
    return {
      variant: variant!,
      rounds,
      rows,
      requests: rows.map((row) => numbers("requests")[row]!),
      failed: rows.reduce((total, row) => total + numbers("failed")[row]!, 0),
      elapsedMs: rows.map((row) => numbers("elapsedMs")[row]!),
    };
  });
}

function armMetrics(arm: Arm, random: () => number): Metric[] {
  const { variant } = arm;
  return [
    perRound(arm, "requests", "requests", null),
    metric("failed", { variant, value: arm.failed, unit: "1" }),
    perRound(arm, "connections", "connections", "connectionsReason"),
    metric("elapsedMs", { variant, unit: "ms", ...bootstrapMean(arm.elapsedMs, { random }) }),
    perRound(arm, "timeWaitAddedClient", "timeWaitClient", "timeWaitReason"),
    perRound(arm, "timeWaitAddedServer", "timeWaitServer", "timeWaitReason"),
  ];
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
  const failed = fresh.failed + kept.failed;
  if (failed > 0) {
    const reason = `Not compared: ${failed} requests failed, and a failure takes its own time`;
    const none = { variant: client, value: null, reason };
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
