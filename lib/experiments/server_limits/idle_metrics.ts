import { type Metric, metric } from "../../record/mod.ts";
import { armMetrics } from "./arm_metrics.ts";
import { type ArmView, armViews } from "./arm_view.ts";
import { memoryLine, memorySizes } from "./memory.ts";
import type { RunTables } from "./mode.ts";
import { reclaimedMetrics } from "./reclaimed.ts";

/**
 * The metrics of the mode `idle`.
 *
 * @param tables the raw tables
 * @returns the metrics
 */
export function idleMetrics(tables: RunTables): Metric[] {
  return armViews(tables).flatMap((view) => [
    ...armMetrics(view),
    // fetch tells neither what it holds nor when that ends.
    ...view.arm.client === "fetch" ? [] : [memoryMetric(view), ...reclaimedMetrics(view)],
  ]);
}

function memoryMetric(view: ArmView): Metric {
  const { variant, serverEnd, givenUp } = view.arm;
  const sizes = memorySizes(view);
  const line = memoryLine(sizes);
  const { slope: value, low, high } = line ?? { slope: null, low: null, high: null };
  const reason = givenUp ?? serverEnd ?? `There are ${sizes.length} sizes whose memory is known`;
  return metric("bytesPerConnection", {
    ...{ variant, unit: "By", value, low, high },
    reason: line === null ? reason : null,
  });
}
