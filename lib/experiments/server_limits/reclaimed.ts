import { type Metric, metric } from "../../record/mod.ts";
import { quantile } from "../../stats/mod.ts";
import { type ArmView, pollsOf } from "./arm_view.ts";

/**
 * How long after each connection was open the server ended it, for those that it did end.
 *
 * @param view the arm
 * @returns the times in milliseconds, ascending
 */
export function reclaimedAfterMs({ connections: { openMs, closedMs } }: ArmView): number[] {
  return closedMs.map((closed, row) => closed - openMs[row]!)
    .filter((ms) => !Number.isNaN(ms))
    .sort((a, b) => a - b);
}

/**
 * How many connections the server took back, and when. `low` and `high` are the first and the last of them.
 *
 * @param view the arm
 * @returns the metrics
 */
export function reclaimedMetrics(view: ArmView): Metric[] {
  const { variant, serverEnd, givenUp, watchedMs } = view.arm;
  if (serverEnd !== null || givenUp !== null) {
    // Connections that ended with their server were not taken back.
    const unknown = { variant, value: null, reason: givenUp ?? `A server ended: ${serverEnd}` };
    return [
      metric("reclaimed", { ...unknown, unit: "1" }),
      metric("reclaimedAfterMs", { ...unknown, unit: "ms" }),
    ];
  }
  const times = reclaimedAfterMs(view);
  // Nobody knows the timeout of a server that is not the lab's: the common ones are of a minute.
  const remedy = pollsOf(view) > 0 ? "" : ": watch longer (--duration 70s)";
  const none = { value: null, reason: `None was within ${Math.round(watchedMs!)} ms${remedy}` };
  const some = () => ({ value: quantile(times, 0.5), low: times[0]!, high: times.at(-1)! });
  return [
    metric("reclaimed", { variant, unit: "1", value: times.length }),
    metric("reclaimedAfterMs", { variant, unit: "ms", ...times.length === 0 ? none : some() }),
  ];
}
