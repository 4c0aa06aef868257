import { type Metric, metric, type TableData } from "../../record/mod.ts";
import { randomSource } from "../../stats/mod.ts";
import { type Arm, armsOf, countMetric, elapsedMetric, newAgainstShared } from "../_shared/arms.ts";
import type { Tables } from "./tables.ts";

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
    ...["fetch", "raw"].flatMap((client) => newAgainstShared(client, { arms, random })),
  ];
}

function armMetrics(arm: Arm, random: () => number): Metric[] {
  const { variant } = arm;
  const timeWait = { reasonColumn: "timeWaitReason" };
  return [
    countMetric(arm, { name: "requests", column: "requests" }),
    metric("failed", { variant, value: arm.failed, unit: "1" }),
    countMetric(arm, { name: "connections", column: "connections", reasonColumn: "connectionsReason" }),
    elapsedMetric(arm, random),
    countMetric(arm, { name: "timeWaitAddedClient", column: "timeWaitClient", ...timeWait }),
    countMetric(arm, { name: "timeWaitAddedServer", column: "timeWaitServer", ...timeWait }),
  ];
}
