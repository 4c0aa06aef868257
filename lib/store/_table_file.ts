import type { Cell, TableSchema } from "../record/mod.ts";
import { MAX_ROW_LENGTH, ROW_TOO_LONG } from "./_row_limit.ts";
import { CsvReader } from "./csv_reader.ts";
import { CsvError } from "./errors.ts";

const READ_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** What {@linkcode readTableFile} may be asked for. */
export interface ReadTableFileOptions {
  /** Leave out a last row that no line feed ends, and tell; without it such a row is an error. */
  onTorn?: () => void;
}

/**
 * Reads a table's CSV file in constant memory.
 *
 * @param path the file
 * @param name the file as messages call it
 * @param schema the columns
 * @param options what to do with a last row that was cut off
 * @returns the rows, some thousands at a time
 * @throws {CsvError} a row does not fit the schema, or the last one was cut off
 */
export async function* readTableFile(
  path: string,
  name: string,
  schema: TableSchema,
  options: ReadTableFileOptions = {},
): AsyncGenerator<Cell[][]> {
  const { onTorn } = options;
  const reader = new CsvReader(name, schema);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (bytes: Uint8Array) => {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new CsvError(name, reader.line, "the text is not UTF-8 here, or further on");
    }
  };
  // Cut after a line feed, no character is in two pieces, and a piece is a plain string, fast to go through.
  let buffer = new Uint8Array(READ_BYTES);
  let held = 0;
  using file = await Deno.open(path);
  for (;;) {
    const count = await file.read(buffer.subarray(held));
    if (count === null) break;
    const filled = held + count;
    const end = buffer.lastIndexOf(LINE_FEED, filled - 1) + 1;
    const rows = reader.push(decode(buffer.subarray(0, end)));
    if (rows.length > 0) yield rows;
    buffer.copyWithin(0, end, filled);
    held = filled - end;
    if (held === buffer.length) {
      if (held >= MAX_ROW_LENGTH) throw new CsvError(name, reader.line, ROW_TOO_LONG);
      const larger = new Uint8Array(held * 2);
      larger.set(buffer);
      buffer = larger;
    }
  }
  const torn = held > 0 || reader.rest !== "";
  if (onTorn) {
    if (torn) onTorn();
    return;
  }
  // Read all the same, the row may tell what is wrong with it.
  reader.push(decode(buffer.subarray(0, held)));
  const { line } = reader;
  reader.end();
  if (!reader.started) throw new CsvError(name, 1, "the header is missing");
  if (torn) throw new CsvError(name, line, "the last row is cut off: no line feed ends it");
}
