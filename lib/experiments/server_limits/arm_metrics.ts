import type { Metric } from "../../record/mod.ts";
import { type ArmView, crowdMetrics } from "./arm_view.ts";
import { armSides } from "./evidence.ts";
import { gaveOutMetrics } from "./gave_out_metrics.ts";

/**
 * The metrics of an arm that was to meet no wall: its connections, and where something gave out, what each side cost.
 *
 * @param view the arm
 * @param options whether a connection that its server ended counts: not where that is what is measured
 * @returns the metrics
 */
export function armMetrics(view: ArmView, options?: { readonly ended: boolean }): Metric[] {
  const gaveOut = view.arm.givenUp === null ? armSides(view, options) : [];
  const sides = gaveOut.length === 0 ? [] : gaveOutMetrics(view.arm.variant!, gaveOut);
  return [...crowdMetrics(view, gaveOut), ...sides];
}
