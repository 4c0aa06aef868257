import type { TableData } from "../../record/mod.ts";
import { summary } from "../../stats/mod.ts";

/**
 * The rows of each variant.
 *
 * @param table a table with a column `variant`
 * @param wanted whether a row counts. @default {every row}
 * @returns the places of the rows, variants in order of their names
 */
export function rowsByVariant(
  table: TableData,
  wanted: (row: number) => boolean = () => true,
): Map<string, number[]> {
  const variants = table.texts("variant");
  const rows = Map.groupBy(variants.keys().filter(wanted), (row) => variants[row]!);
  return new Map([...rows].sort(([left], [right]) => left < right ? -1 : 1));
}

/**
 * The cells of some rows.
 *
 * @param values a column
 * @param rows the places of the rows
 * @returns their cells, in order
 */
export function pick(values: Float64Array, rows: readonly number[]): Float64Array {
  return Float64Array.from(rows, (row) => values[row]!);
}

/**
 * What a phase adds to a request in the mean: requests without the phase count as 0.
 *
 * @param values the times of the phase, in milliseconds; `NaN` where a request has none
 * @param rows the places of the requests
 * @returns the mean, in milliseconds; `null` where none of them has the phase
 */
export function meanPerRequest(values: Float64Array, rows: readonly number[]): number | null {
  const present = pick(values, rows).filter((value) => !Number.isNaN(value));
  return present.length === 0 ? null : summary(present).mean * present.length / rows.length;
}

/**
 * Whether each request was answered: a failure takes a time of its own.
 *
 * @param requests a table with a column `failureKind`
 * @returns tells it of a row
 */
export function answered(requests: TableData): (row: number) => boolean {
  const kinds = requests.texts("failureKind");
  return (row) => kinds[row] === null;
}

/**
 * How many requests a figure of times leaves out, for the end of its subtitle.
 *
 * @param requests a table with a column `failureKind`
 * @returns the words; none when no request failed
 */
export function leftOut(requests: TableData): string {
  const failed = requests.texts("failureKind").filter((kind) => kind !== null).length;
  return failed === 0 ? "" : `; ${failed} requests that failed are left out`;
}
