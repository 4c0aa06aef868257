import { type Metric, metric } from "../../record/mod.ts";
import { type ArmView, armViews, crowdMetrics } from "./arm_view.ts";
import type { RunTables } from "./mode.ts";

/**
 * The metrics of the mode `slow`.
 *
 * @param tables the raw tables
 * @returns the metrics
 */
export function slowMetrics(tables: RunTables): Metric[] {
  return armViews(tables).flatMap((view) => [...crowdMetrics(view), ...answerMetrics(view)]);
}

/** A request that waits at the end, without a failure, is unfinished: the wait is by design. */
function answerMetrics({ arm: { variant }, connections: { openMs, status, kind } }: ArmView): Metric[] {
  const rows = [...openMs.keys()].filter((row) => !Number.isNaN(openMs[row]));
  const answered = rows.filter((row) => status[row]! >= 200 && status[row]! < 300);
  const unfinished = rows.filter((row) => Number.isNaN(status[row]) && kind[row] === null);
  return [
    metric("sent", { variant, value: rows.length, unit: "1" }),
    metric("answered", { variant, value: answered.length, unit: "1" }),
    metric("unfinished", { variant, value: unfinished.length, unit: "1" }),
  ];
}
