import { type Metric, metric } from "../../record/mod.ts";
import { armMetrics } from "./arm_metrics.ts";
import { type ArmView, armViews } from "./arm_view.ts";
import type { RunTables } from "./mode.ts";

/**
 * The metrics of the mode `slow`.
 *
 * @param tables the raw tables
 * @returns the metrics
 */
export function slowMetrics(tables: RunTables): Metric[] {
  return armViews(tables).flatMap((view) => [...armMetrics(view), ...answerMetrics(view)]);
}

/** A request that waits at the end, without a failure, is unfinished: the wait is by design. */
function answerMetrics({ arm, connections: { openMs, status, kind } }: ArmView): Metric[] {
  const { variant, givenUp: reason } = arm;
  const rows = [...openMs.keys()].filter((row) => !Number.isNaN(openMs[row]));
  const answered = rows.filter((row) => status[row]! >= 200 && status[row]! < 300);
  const unfinished = rows.filter((row) => Number.isNaN(status[row]) && kind[row] === null);
  const count = (name: string, { length }: readonly number[]) =>
    metric(name, { variant, unit: "1", value: reason === null ? length : null, reason });
  return [count("sent", rows), count("answered", answered), count("unfinished", unfinished)];
}
