import type { Metric } from "../../record/mod.ts";
import { loadArms, type LoadData, loadMetrics } from "../_shared/load_metrics.ts";

/**
 * The metrics of `load`, from its raw rows. A run is one load: none of them has an arm.
 *
 * @param tables the raw tables
 * @returns the metrics
 */
export function summarize(tables: LoadData): Metric[] {
  return loadArms(tables).flatMap((load) => loadMetrics(load, null));
}
