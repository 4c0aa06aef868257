import type { Cell, TableSchema } from "../record/mod.ts";
import { CsvReader } from "./csv_reader.ts";
import { CsvError } from "./errors.ts";

const READ_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** What {@linkcode readTableFile} may be asked for. */
export interface ReadTableFileOptions {
  /** Leave out a last row that no line feed ends, and tell; without it such a row is read. */
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
 * @throws {CsvError} a row does not fit the schema
 */
export async function* readTableFile(
  path: string,
  name: string,
  schema: TableSchema,
  options: ReadTableFileOptions = {},
): AsyncGenerator<Cell[][]> {
  const { onTorn } = options;
  const reader = new CsvReader(name, schema);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new CsvError(name, reader.line, "the text is not UTF-8 here, or further on");
    }
  };
  const buffer = new Uint8Array(READ_BYTES);
  let last = LINE_FEED;
  using file = await Deno.open(path);
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    const bytes = buffer.subarray(0, count);
    last = bytes[count - 1] ?? last;
    const rows = reader.push(decode(bytes));
    if (rows.length > 0) yield rows;
  }
  if (onTorn) {
    // A character that was cut in two is still in the decoder, where `rest` does not see it.
    if (reader.rest !== "" || last !== LINE_FEED) onTorn();
    return;
  }
  reader.push(decode());
  const rows = reader.end();
  if (!reader.started) throw new CsvError(name, 1, "the header is missing");
  if (rows.length > 0) yield rows;
}
