import { type Metric, metric } from "../../record/mod.ts";
import { type GaveOut, LIMIT_SIDES } from "./sides.ts";

/**
 * What each side cost, as metrics: the side that gave out is the one with a number.
 *
 * @param arm what was measured
 * @param gaveOut the sides that gave out
 * @returns a metric a side
 */
export function gaveOutMetrics(arm: string, gaveOut: readonly GaveOut[]): Metric[] {
  return LIMIT_SIDES.map((side) => {
    const found = gaveOut.find((one) => one.side === side);
    // What bounds a rate costs no connection: it is told as 1.
    return metric(gaveOutName(side), {
      variant: arm,
      unit: "1",
      value: found === undefined ? 0 : found.count ?? 1,
    });
  });
}

/** `gaveOutClientPorts`. */
function gaveOutName(side: string): string {
  return `gaveOut${side.replace(/(^| )(\w)/g, (_, _space, letter: string) => letter.toUpperCase())}`;
}
