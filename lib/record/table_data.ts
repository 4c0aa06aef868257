import type { Cell, Column, Row, TableData, TableSchema } from "./table.ts";

const INITIAL_ROWS = 1024;

/** A numeric column that grows; an empty cell is `NaN`. */
class NumberColumn {
  #cells = new Float64Array(INITIAL_ROWS);

  set(row: number, cell: Cell): void {
    if (row >= this.#cells.length) {
      const grown = new Float64Array(this.#cells.length * 2);
      grown.set(this.#cells);
      this.#cells = grown;
    }
    this.#cells[row] = typeof cell === "number" ? cell : NaN;
  }

  view(length: number): Float64Array {
    return this.#cells.subarray(0, length);
  }
}

/** Whether the cells of a column are numbers. */
function isNumeric(column: Column): boolean {
  return column.type === "integer" || column.type === "number";
}

/**
 * A {@linkcode TableData} that is filled row by row: numbers in typed arrays, text and flags in plain
 * ones (equal strings are shared).
 *
 * @example
 * ```ts
 * import { column } from "./table.ts";
 * import { ColumnTable } from "./table_data.ts";
 * import { assertEquals } from "@std/assert";
 * const table = new ColumnTable("requests", { variant: column.text("arm"), waitMs: column.ms("wait") });
 * table.add({ variant: "raw/new", waitMs: 0.25 });
 * table.add({ variant: "raw/new", waitMs: null });
 * assertEquals([...table.numbers("waitMs")], [0.25, NaN]);
 * assertEquals([...table.rows()][1], { variant: "raw/new", waitMs: null });
 * ```
 */
export class ColumnTable implements TableData {
  readonly name: string;
  readonly schema: TableSchema;
  #length = 0;
  readonly #names: readonly string[];
  readonly #numeric = new Map<string, NumberColumn>();
  readonly #plain = new Map<string, (string | boolean | null)[]>();
  readonly #inOrder: (NumberColumn | (string | boolean | null)[])[];
  readonly #shared = new Map<string, string>();

  /**
   * Begins with no rows.
   *
   * @param name the name of the table
   * @param schema its columns
   */
  constructor(name: string, schema: TableSchema) {
    this.name = name;
    this.schema = schema;
    this.#names = Object.keys(schema);
    for (const [key, column] of Object.entries(schema)) {
      if (isNumeric(column)) this.#numeric.set(key, new NumberColumn());
      else this.#plain.set(key, []);
    }
    this.#inOrder = this.#names.map((key) => this.#numeric.get(key) ?? this.#plain.get(key)!);
  }

  /** How many rows it has. */
  get length(): number {
    return this.#length;
  }

  /**
   * Adds a row. A column that the row lacks is empty.
   *
   * @param row the cells by column name
   */
  add(row: Readonly<Row>): void {
    this.addCells(this.#names.map((name) => row[name] ?? null));
  }

  /**
   * Adds a row of cells in the order of the schema, which saves the object.
   *
   * @param cells one cell a column
   */
  addCells(cells: readonly Cell[]): void {
    for (let index = 0; index < this.#inOrder.length; index++) {
      const column = this.#inOrder[index]!;
      const cell = cells[index] ?? null;
      if (column instanceof NumberColumn) column.set(this.#length, cell);
      else column.push(typeof cell === "string" ? this.#share(cell) : cell as boolean | null);
    }
    this.#length++;
  }

  numbers(column: string): Float64Array {
    const numeric = this.#numeric.get(column);
    if (!numeric) {
      throw new RangeError(
        `Cannot read column ${column} of table ${this.name} as numbers: ` +
          `its number columns are ${[...this.#numeric.keys()].join(", ")}`,
      );
    }
    return numeric.view(this.#length);
  }

  texts(column: string): readonly (string | null)[] {
    const plain = this.#plain.get(column);
    if (plain) return plain.map((cell) => cell === null ? null : String(cell));
    return Array.from(this.numbers(column), (cell) => Number.isNaN(cell) ? null : String(cell));
  }

  *rows(): Generator<Row> {
    for (let index = 0; index < this.#length; index++) {
      const row: Row = {};
      for (const name of this.#names) {
        const numeric = this.#numeric.get(name);
        const cell = numeric ? numeric.view(this.#length)[index]! : this.#plain.get(name)![index]!;
        row[name] = typeof cell === "number" && Number.isNaN(cell) ? null : cell;
      }
      yield row;
    }
  }

  /** Equal strings as one, so that a variant's name is held once and not a million times. */
  #share(text: string): string {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    if (this.#shared.size < 10_000) this.#shared.set(text, text);
    return text;
  }
}
