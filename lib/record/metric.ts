import type { Unit } from "./units.ts";

/** One number of a run's summary. */
export interface Metric {
  /** What was measured; a duration ends in `Ms`. */
  readonly name: string;
  /** The arm that it belongs to; `null` when it is about the whole run. */
  readonly variant: string | null;
  /** The number; `null` when it was not measured, with the reason beside it. */
  readonly value: number | null;
  /** Its unit. */
  readonly unit: Unit;
  /** Lower end of its interval (or of its range, as the experiment says); `null` where there is none. */
  readonly low: number | null;
  /** Upper end of its interval; `null` where there is none. */
  readonly high: number | null;
  /** Why there is no value; `null` when there is one. */
  readonly reason: string | null;
}

/** What {@linkcode metric} takes beside the name. */
export interface MetricOptions {
  /** The arm that it belongs to. @default {null} */
  variant?: string | null;
  /** The number, or `null`. */
  value: number | null;
  /** Its unit. */
  unit: Unit;
  /** Lower end of its interval. @default {null} */
  low?: number | null;
  /** Upper end of its interval. @default {null} */
  high?: number | null;
  /** Why there is no value. @default {null} */
  reason?: string | null;
}

/**
 * Makes a {@linkcode Metric} and refuses one that would mislead.
 *
 * @param name what was measured
 * @param options value, unit, interval, reason
 * @returns the metric, with every field present
 * @throws {TypeError} the value is missing without a reason, or is not a finite number
 *
 * @example
 * ```ts
 * import { metric } from "./metric.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(metric("connections", { variant: "raw/new", value: 500, unit: "1" }).low, null);
 * ```
 */
export function metric(name: string, options: MetricOptions): Metric {
  const { variant = null, value, unit, low = null, high = null, reason = null } = options;
  if (value === null && reason === null) {
    throw new TypeError(`Cannot state metric ${name} without a value as no reason is given`);
  }
  for (const [field, number] of Object.entries({ value, low, high })) {
    if (number !== null && !Number.isFinite(number)) {
      throw new TypeError(
        `Cannot state metric ${name} as its ${field} must be finite: current value is ${number}`,
      );
    }
  }
  return { name, variant, value, unit, low, high, reason };
}
