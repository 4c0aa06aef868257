import type { Unit } from "../record/mod.ts";

// One locale for everything that is shown, so that a table reads the same on every machine.
const LOCALE = "en";

const SUFFIX: Readonly<Record<Unit, string>> = { "ms": " ms", "By": " B", "1": "", "1/s": "/s" };

/**
 * A number for people: counts in full, everything else with four significant digits.
 *
 * @param value the number
 * @param unit its unit
 * @returns the text
 *
 * @example
 * ```ts
 * import { numberText } from "./number_text.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(numberText(118.4567, "ms"), "118.5 ms");
 * assertEquals(numberText(56512), "56,512");
 * ```
 */
export function numberText(value: number, unit: Unit = "1"): string {
  const digits = Number.isInteger(value) ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 };
  return new Intl.NumberFormat(LOCALE, digits).format(value) + SUFFIX[unit];
}

/**
 * A duration for people.
 *
 * @param ms milliseconds
 * @returns such as `850 ms`, `12 s`, `3 min`
 */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
