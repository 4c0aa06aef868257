import type { Cell, Column, Row, TableSchema } from "../record/mod.ts";
import { MAX_ROW_LENGTH } from "./_row_limit.ts";

/** Durations are written to 0.1 µs: below that a clock in user space says nothing. */
const DURATION_STEPS_PER_MS = 10_000;

/** From here on a double holds no more decimals than are kept. */
const EXACT_BELOW_MS = Number.MAX_SAFE_INTEGER / DURATION_STEPS_PER_MS;

/** A line that is not longer fits, whatever its characters take in UTF-8. */
const FITS_LENGTH = MAX_ROW_LENGTH / 3;

const NEEDS_QUOTES = /[",\r\n]/;

function refuse(name: string, must: string, cell: unknown): never {
  throw new TypeError(`Cannot write row as column ${name} must be ${must}: current value is ${String(cell)}`);
}

function formatText(cell: unknown, name: string): string {
  if (typeof cell !== "string") refuse(name, "text or null", cell);
  if (cell === "") return '""';
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function formatFlag(cell: unknown, name: string): string {
  if (typeof cell !== "boolean") refuse(name, "true, false or null", cell);
  return cell ? "true" : "false";
}

function formatInteger(cell: unknown, name: string): string {
  if (!Number.isSafeInteger(cell)) refuse(name, "a whole number or null", cell);
  return String(cell);
}

function formatNumber(cell: unknown, name: string): string {
  if (typeof cell !== "number" || !Number.isFinite(cell)) refuse(name, "a finite number or null", cell);
  return String(cell);
}

function formatDuration(cell: unknown, name: string): string {
  if (typeof cell !== "number" || !Number.isFinite(cell)) refuse(name, "a finite number or null", cell);
  return String(
    Math.abs(cell) < EXACT_BELOW_MS ? Math.round(cell * DURATION_STEPS_PER_MS) / DURATION_STEPS_PER_MS : cell,
  );
}

type CellFormat = (cell: unknown, name: string) => string;

function cellFormat({ type, unit }: Column): CellFormat {
  switch (type) {
    case "string":
      return formatText;
    case "boolean":
      return formatFlag;
    case "integer":
      return formatInteger;
    case "number":
      return unit === "ms" ? formatDuration : formatNumber;
  }
}

/**
 * The first line of a table's CSV file.
 *
 * @param schema the columns
 * @returns the names of the columns, ended by a line feed
 *
 * @example
 * ```ts
 * import { column } from "../record/mod.ts";
 * import { csvHeader } from "./csv_format.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(csvHeader({ variant: column.text("arm"), waitMs: column.ms("wait") }), "variant,waitMs\n");
 * ```
 */
export function csvHeader(schema: TableSchema): string {
  return Object.keys(schema).map((name) => formatText(name, name)).join(",") + "\n";
}

/**
 * Makes the function that writes the rows of a table as lines of CSV. An empty cell is `null`, a pair of
 * quotes is text of no length; durations are rounded to 0.1 µs (4 decimals), any other number is the
 * shortest that reads back the same.
 *
 * Source: RFC 4180 (with line feeds alone), Table Schema, https://datapackage.org/standard/table-schema/
 *
 * @param schema the columns
 * @returns a function from a row to its line, ended by a line feed. It throws a `TypeError` for a cell of
 * another type than its column's, for a cell of a column that the table has not, and for a row that is too
 * long to be read again
 *
 * @example
 * ```ts
 * import { column } from "../record/mod.ts";
 * import { rowFormatter } from "./csv_format.ts";
 * import { assertEquals } from "@std/assert";
 * const format = rowFormatter({ variant: column.text("arm"), connectMs: column.ms("time to connect") });
 * assertEquals(format({ variant: "raw/new", connectMs: 0.123456 }), "raw/new,0.1235\n");
 * assertEquals(format({ variant: "", connectMs: null }), '"",\n');
 * ```
 */
export function rowFormatter(schema: TableSchema): (row: Readonly<Row>) => string {
  const columns = Object.entries(schema).map(([name, column]) => ({ name, format: cellFormat(column) }));
  const last = columns.length - 1;
  return (row) => {
    let line = "";
    let known = 0;
    for (let index = 0; index <= last; index++) {
      const { name, format } = columns[index]!;
      const cell: Cell | undefined = row[name];
      if (cell !== undefined) known++;
      if (cell !== null && cell !== undefined) line += format(cell, name);
      line += index === last ? "\n" : ",";
    }
    // Counting costs less than looking every name up.
    let given = 0;
    for (const name in row) if (row[name] !== undefined) given++;
    if (given > known) refuseUnknown(row, schema);
    if (line.length > FITS_LENGTH) refuseLong(line);
    return line;
  };
}

function refuseUnknown(row: Readonly<Row>, schema: TableSchema): never {
  const names = Object.keys(schema);
  const unknown = Object.keys(row).find((name) => !names.includes(name));
  throw new TypeError(
    `Cannot write row as the table has no column ${unknown}: its columns are ${names.join(", ")}`,
  );
}

function refuseLong(line: string): void {
  const sizeBytes = new TextEncoder().encode(line).length;
  if (sizeBytes <= MAX_ROW_LENGTH) return;
  throw new TypeError(
    `Cannot write row as it must not be longer than ${MAX_ROW_LENGTH} bytes: it has ${sizeBytes}`,
  );
}
