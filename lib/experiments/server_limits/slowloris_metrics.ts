import { type Metric, metric } from "../../record/mod.ts";
import { armMetrics } from "./arm_metrics.ts";
import { armViews, pollsOf } from "./arm_view.ts";
import type { RunTables } from "./mode.ts";
import { reclaimedMetrics } from "./reclaimed.ts";

/**
 * The metrics of the mode `slowloris`.
 *
 * @param tables the raw tables
 * @returns the metrics
 */
export function slowlorisMetrics(tables: RunTables): Metric[] {
  return armViews(tables).flatMap((view) => {
    const { variant, headerTimeoutMs, checkingMs } = view.arm;
    const none = pollsOf(view) > 0
      ? "The server has none"
      : "Only a server of the lab tells how it is configured";
    const limit = (name: string, value: number | null) =>
      metric(name, { variant, value, unit: "ms", reason: value === null ? none : null });
    return [
      ...armMetrics(view, { ended: false }),
      limit("headerTimeoutMs", headerTimeoutMs),
      limit("checkingIntervalMs", checkingMs),
      ...reclaimedMetrics(view),
    ];
  });
}
