import { isTableName } from "./names.ts";
import { type Unit, UNITS } from "./units.ts";

/** What one cell of a table holds; `null` is what did not happen or was not measured, never 0. */
export type Cell = string | number | boolean | null;

/** One raw observation, by column name. */
export type Row = Record<string, Cell>;

/** The types of columns, as Table Schema names them. */
export const COLUMN_TYPES = ["integer", "number", "string", "boolean"] as const;

/** One of {@linkcode COLUMN_TYPES}. */
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Type, unit and meaning of a column. */
export interface Column {
  /** The type of its cells. */
  readonly type: ColumnType;
  /** The unit of its numbers; `null` for text and flags. */
  readonly unit: Unit | null;
  /** What a cell says, in one line. */
  readonly meaning: string;
}

/** The columns of a table, in the order in which they are written. */
export type TableSchema = Readonly<Record<string, Column>>;

/** The row that fits a {@linkcode TableSchema}: every column, each with its type or `null`. */
export type RowOf<S extends TableSchema> = {
  readonly [K in keyof S]:
    | (S[K] extends { type: "integer" | "number" } ? number
      : S[K] extends { type: "boolean" } ? boolean
      : string)
    | null;
};

/** A column of a known type: what the builders of {@linkcode column} return. */
export interface TypedColumn<T extends ColumnType> extends Column {
  /** The type of its cells. */
  readonly type: T;
}

function make<T extends ColumnType>(type: T, unit: Unit | null, meaning: string): TypedColumn<T> {
  return { type, unit, meaning };
}

/** The builders of {@linkcode column}. */
export interface ColumnBuilders {
  /** A duration in milliseconds. */
  ms(meaning: string): TypedColumn<"number">;
  /** A number of bytes. */
  bytes(meaning: string): TypedColumn<"integer">;
  /** A whole number: a count, an order, a port. */
  count(meaning: string): TypedColumn<"integer">;
  /** A plain number: a ratio, a share. */
  ratio(meaning: string): TypedColumn<"number">;
  /** Events per second. */
  rate(meaning: string): TypedColumn<"number">;
  /** Text. */
  text(meaning: string): TypedColumn<"string">;
  /** `true` or `false`. */
  flag(meaning: string): TypedColumn<"boolean">;
}

/**
 * Builders of columns, each with the meaning of its cells.
 *
 * @example
 * ```ts
 * import { column } from "./table.ts";
 * import { assertEquals } from "@std/assert";
 * const schema = { variant: column.text("the arm"), connectMs: column.ms("time to connect") };
 * assertEquals(schema.connectMs, { type: "number", unit: "ms", meaning: "time to connect" });
 * ```
 */
export const column: ColumnBuilders = {
  ms: (meaning) => make("number", "ms", meaning),
  bytes: (meaning) => make("integer", "By", meaning),
  count: (meaning) => make("integer", "1", meaning),
  ratio: (meaning) => make("number", "1", meaning),
  rate: (meaning) => make("number", "1/s", meaning),
  text: (meaning) => make("string", null, meaning),
  flag: (meaning) => make("boolean", null, meaning),
};

function isColumn(value: unknown): value is Column {
  if (typeof value !== "object" || value === null) return false;
  const { type, unit, meaning } = value as Record<keyof Column, unknown>;
  return COLUMN_TYPES.some((one) => one === type) && typeof meaning === "string" &&
    (unit === null || UNITS.some((one) => one === unit));
}

/**
 * What keeps tables from being written: a person's own may be declared in any way.
 *
 * @param tables the columns of each table, by name
 * @returns the problem; `null` when there is none
 */
export function findTablesProblem(tables: Readonly<Record<string, unknown>>): string | null {
  for (const [name, schema] of Object.entries(tables)) {
    if (!isTableName(name)) {
      return `the name of a table must be lower-case words, with - or _ between them: current value is ${name}`;
    }
    const columns = Object.values(schema ?? {});
    if (columns.length === 0 || !columns.every(isColumn)) {
      return `table ${name} must have columns, made by column.ms() and its like`;
    }
  }
  return null;
}

/**
 * The rows of one table, column by column, in the order in which they happened. Columns are kept
 * apart because a million rows as objects do not fit into a notebook.
 */
export interface TableData {
  /** The name of the table. */
  readonly name: string;
  /** Its columns. */
  readonly schema: TableSchema;
  /** How many rows it has. */
  readonly length: number;
  /**
   * A column of type integer or number; an empty cell is `NaN`.
   *
   * @throws {RangeError} the table has no such column, or it does not hold numbers
   */
  numbers(column: string): Float64Array;
  /**
   * A column of any type as text; an empty cell is `null`.
   *
   * @throws {RangeError} the table has no such column
   */
  texts(column: string): readonly (string | null)[];
  /** The rows one after another, as objects. */
  rows(): Generator<Row>;
}
