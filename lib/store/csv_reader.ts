import { csvParseRows } from "d3-dsv";
import type { Cell, ColumnType, TableSchema } from "../record/mod.ts";
import { readInteger, readNumber } from "./_numbers.ts";
import { PlainRows } from "./_plain_rows.ts";
import { MAX_ROW_LENGTH, ROW_TOO_LONG } from "./_row_limit.ts";
import { csvHeader } from "./csv_format.ts";
import { CsvError } from "./errors.ts";

const parseRows: <T>(text: string, read: (record: string[], index: number) => T) => T[] = csvParseRows;

/**
 * Stands for `""` while d3-dsv, which makes both the same, tells cells apart. A lone surrogate never comes
 * out of UTF-8.
 */
const EMPTY_TEXT = "\uD800";

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
const CARRIAGE_RETURN = 13;

/**
 * Where the last whole record of CSV text ends: after its last line feed that stands outside quotes.
 *
 * @param text CSV text that begins with a record
 * @returns the position after that line feed; 0 when there is none
 *
 * @example
 * ```ts
 * import { recordsEnd } from "./csv_reader.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(recordsEnd("a,b\nc,"), 4);
 * assertEquals(recordsEnd('a,b\n"c\n'), 4);
 * ```
 */
export function recordsEnd(text: string): number {
  if (!text.includes('"')) return text.lastIndexOf("\n") + 1;
  let end = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) quoted = !quoted;
    else if (unit === LINE_FEED && !quoted) end = index + 1;
  }
  return end;
}

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Text as a message shows it: not all of it, if it is long. */
function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function readFlag(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

/** How the cells of a type are read, and what they must be; reading gives `undefined` for any other. */
const READERS: Readonly<Record<ColumnType, { read(text: string): Cell | undefined; must: string }>> = {
  string: { read: (text) => text, must: "text" },
  boolean: { read: readFlag, must: "true or false" },
  integer: { read: readInteger, must: "a whole number" },
  number: { read: readNumber, must: "a number" },
};

/**
 * Reads a table's CSV text in whatever pieces it comes, and checks every row: its number of cells, the
 * type of each, and the header. Records are told apart by d3-dsv, which checks nothing.
 *
 * @example
 * ```ts
 * import { column } from "../record/mod.ts";
 * import { CsvReader } from "./csv_reader.ts";
 * import { assertEquals } from "@std/assert";
 * const reader = new CsvReader("requests", { variant: column.text("arm"), waitMs: column.ms("wait") });
 * assertEquals(reader.push("variant,waitMs\nraw/new,0.2"), []);
 * assertEquals(reader.push("5\n,\n"), [["raw/new", 0.25], [null, null]]);
 * assertEquals(reader.rest, "");
 * ```
 */
export class CsvReader {
  readonly #name: string;
  readonly #header: string;
  readonly #columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly #plain: PlainRows;
  #rest = "";
  #line = 1;
  #started = false;

  /**
   * Begins at the header.
   *
   * @param name the table or the file, for messages
   * @param schema the columns
   */
  constructor(name: string, schema: TableSchema) {
    this.#name = name;
    this.#header = csvHeader(schema).slice(0, -1);
    this.#columns = Object.entries(schema).map(([name, { type }]) => ({ name, type }));
    this.#plain = new PlainRows(this.#columns.map(({ type }) => type));
  }

  /** Text that is not yet a whole record. At the end of a file it is a row that was cut off. */
  get rest(): string {
    return this.#rest;
  }

  /** Whether the header has been read. */
  get started(): boolean {
    return this.#started;
  }

  /** The line, from 1, on which the next record begins. */
  get line(): number {
    return this.#line;
  }

  /**
   * Takes the next piece of text.
   *
   * @param text the piece
   * @returns the rows that it completes, each with its cells in the order of the schema
   * @throws {CsvError} a row or the header does not fit the schema
   */
  push(text: string): Cell[][] {
    const joined = this.#rest === "" ? text : this.#rest + text;
    const end = recordsEnd(joined);
    this.#rest = joined.slice(end);
    if (this.#rest.length > MAX_ROW_LENGTH) throw new CsvError(this.#name, this.#line, ROW_TOO_LONG);
    return end === 0 ? [] : this.#read(joined.slice(0, end));
  }

  /**
   * Takes what is left as the last record, which no line feed ends.
   *
   * @returns the last row, if anything is left
   * @throws {CsvError} it does not fit the schema
   */
  end(): Cell[][] {
    const rest = this.#rest;
    this.#rest = "";
    return rest === "" ? [] : this.#read(rest);
  }

  #read(text: string): Cell[][] {
    const isPlain = this.#started && text.endsWith("\n") && !/["\r]/.test(text);
    const plain = isPlain ? this.#plain.read(text) : null;
    if (plain) {
      this.#line += plain.length;
      return plain;
    }
    const marked = this.#markEmptyTexts(text);
    const lineOf = (index: number) => {
      const before = parseRows(marked, (record, at) => at < index ? lineFeeds(record.join("")) + 1 : 0);
      return before.reduce((sum, lines) => sum + lines, this.#line);
    };
    const rows: Cell[][] = [];
    parseRows(marked, (record, index) => {
      if (this.#started) rows.push(this.#row(record, () => lineOf(index)));
      else this.#checkHeader(record);
    });
    this.#line += lineFeeds(text);
    return rows;
  }

  #row(record: readonly string[], line: () => number): Cell[] {
    const columns = this.#columns;
    if (record.length !== columns.length) {
      const problem = `a row must have ${columns.length} cells: found ${record.length}`;
      throw new CsvError(this.#name, line(), problem);
    }
    const row: Cell[] = new Array(columns.length);
    for (let at = 0; at < columns.length; at++) {
      const text = record[at]!;
      const { name, type } = columns[at]!;
      if (text === "") row[at] = null;
      else if (text === EMPTY_TEXT) row[at] = type === "string" ? "" : null;
      else {
        const cell = READERS[type].read(text);
        if (cell === undefined) {
          const problem = `column ${name} must be ${READERS[type].must}: found ${shown(text)}`;
          throw new CsvError(this.#name, line(), problem);
        }
        row[at] = cell;
      }
    }
    return row;
  }

  #checkHeader(record: readonly string[]): void {
    const fits = record.length === this.#columns.length &&
      record.every((name, index) => name === this.#columns[index]!.name);
    if (!fits) {
      throw new CsvError(
        this.#name,
        1,
        `the header must be ${this.#header}: found ${shown(record.join(","))}`,
      );
    }
    this.#started = true;
  }

  /** Replaces `""` by its mark, and refuses quotes that do not enclose a whole cell. */
  #markEmptyTexts(text: string): string {
    const isEdge = (unit: number) => unit === COMMA || unit === LINE_FEED || unit === CARRIAGE_RETURN;
    return text.replace(/"[^"]*(?:""[^"]*)*("?)/g, (cell, closing: string, at: number) => {
      const end = at + cell.length;
      const encloses = (at === 0 || isEdge(text.charCodeAt(at - 1))) &&
        (end === text.length || isEdge(text.charCodeAt(end)));
      if (closing === "" || !encloses) {
        const problem = "a quote must open and close a whole cell, and be doubled inside one";
        throw new CsvError(this.#name, this.#line + lineFeeds(text.slice(0, at)), problem);
      }
      return cell === '""' ? EMPTY_TEXT : cell;
    });
  }
}
