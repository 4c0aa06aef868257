import { quantile } from "../stats/mod.ts";

/** One ratio against its target: what every bench of the project returns. */
export interface BenchRow {
  /** What is compared with what. */
  readonly name: string;
  /** The ratio of medians that was measured. */
  readonly ratio: number;
  /** What the ratio should keep to. */
  readonly target: number;
  /** On which side of the target it should be. */
  readonly direction: "at most" | "at least";
  /** What a reader should know about it. */
  readonly note?: string;
}

/**
 * The median, by which a bench passes over rounds that other work on the machine disturbed.
 *
 * @param values at least one
 * @returns the median
 */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * Whether a ratio keeps to its target.
 *
 * @param row the ratio and the target
 * @returns `false` also when the ratio is no number
 */
export function meets({ ratio, target, direction }: BenchRow): boolean {
  return direction === "at most" ? ratio <= target : ratio >= target;
}

/**
 * A ratio as one line of the table.
 *
 * @param row the ratio and the target
 * @returns the line
 */
export function line(row: BenchRow): string {
  const sign = row.direction === "at most" ? "≤" : "≥";
  const figures = `${row.ratio.toFixed(2).padStart(7)}  ${sign} ${row.target}`;
  return `${meets(row) ? "✓" : "✗"} ${row.name.padEnd(52)}${figures.padEnd(16)}${row.note ?? ""}`.trimEnd();
}
