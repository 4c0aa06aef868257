/**
 * The units that a column or a metric may carry, in UCUM notation: milliseconds, bytes, a plain
 * number (a count, a ratio, a share) and events per second.
 *
 * Source: The Unified Code for Units of Measure, https://ucum.org/ucum.
 */
export const UNITS = ["ms", "By", "1", "1/s"] as const;

/** One of {@linkcode UNITS}. */
export type Unit = (typeof UNITS)[number];
