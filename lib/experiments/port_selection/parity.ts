import { quantile, summary } from "../../stats/mod.ts";
import { type ArmRows, connected } from "./arm_rows.ts";

/** The parity of a port. */
export type Parity = "even" | "odd";

/**
 * The parity of a port.
 *
 * @param port the port
 * @returns the parity
 */
export function parityOf(port: number): Parity {
  return port % 2 === 0 ? "even" : "odd";
}

/**
 * The times of the connects that came to a port of one parity.
 *
 * @param arm the arm
 * @param parity the parity
 * @returns the times in milliseconds, in order
 */
export function timesOf(arm: ArmRows, parity: Parity): Float64Array {
  return Float64Array.from(
    connected(arm).filter((place) => parityOf(arm.ports[place]!) === parity),
    (place) => arm.connectMs[place]!,
  );
}

/** How connects to ports of one parity compare with those of the other. */
export interface ParityComparison {
  /** The parity whose connects take less time in the median. */
  readonly fast: Parity;
  /** Mean time of the slower parity, divided by that of the faster. */
  readonly ratio: number;
  /** The same of the medians: slower divided by faster. */
  readonly ratioP50: number;
  /** The same of the 75th percentiles. */
  readonly ratioP75: number;
}

/**
 * Compares the two parities of an arm.
 *
 * @param arm the arm
 * @returns the comparison; `null` when all its ports have one parity
 */
export function compareParities(arm: ArmRows): ParityComparison | null {
  const [even, odd] = [timesOf(arm, "even"), timesOf(arm, "odd")];
  if (even.length === 0 || odd.length === 0) return null;
  const [evenTimes, oddTimes] = [summary(even), summary(odd)];
  const slower = (a: number, b: number) => Math.max(a, b) / Math.min(a, b);
  return {
    fast: evenTimes.median <= oddTimes.median ? "even" : "odd",
    ratio: slower(evenTimes.mean, oddTimes.mean),
    ratioP50: slower(evenTimes.median, oddTimes.median),
    ratioP75: slower(quantile(even, 0.75), quantile(odd, 0.75)),
  };
}
