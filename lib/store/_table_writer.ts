import { csvParseRows } from "d3-dsv";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { TableResource } from "../record/mod.ts";
import { schemaOf } from "./_manifest_fields.ts";
import { csvHeader } from "./csv_format.ts";
import { recordsEnd } from "./csv_reader.ts";

/** Appends rows to one CSV file, and knows its size, hash and number of rows at any time. */
export class TableWriter implements Disposable {
  readonly #resource: TableResource;
  readonly #file: Deno.FsFile;
  readonly #hash = createHash("sha256");
  readonly #encoder = new TextEncoder();
  #buffer = new Uint8Array(0);
  #bytes = 0;
  #rows = 0;
  #open = true;

  /**
   * Makes the file with its header.
   *
   * @param path the folder of the run
   * @param resource the table as the descriptor carries it
   */
  constructor(path: string, resource: TableResource) {
    const schema = schemaOf(resource);
    this.#resource = resource;
    this.#file = Deno.openSync(join(path, resource.path), { write: true, createNew: true });
    try {
      this.append(csvHeader(schema), 0);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Writes whole rows. When the disk is full, the file ends after the last row that fits.
   *
   * @param text the rows as lines of CSV
   * @param count how many they are
   */
  append(text: string, count: number): void {
    const bytes = this.#encode(text);
    let done = 0;
    try {
      while (done < bytes.length) done += this.#file.writeSync(bytes.subarray(done));
    } catch (error) {
      this.#keep(bytes.subarray(0, done));
      throw error;
    }
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#rows += count;
  }

  /** Makes sure that what was written is on the disk. */
  flush(): void {
    if (this.#open) this.#file.syncDataSync();
  }

  /** The table as the descriptor carries it when no more rows come. */
  get resource(): TableResource {
    const hash = `sha256:${this.#hash.copy().digest("hex")}`;
    const { schema, ...rest } = this.#resource;
    return { ...rest, bytes: this.#bytes, hash, rows: this.#rows, schema };
  }

  [Symbol.dispose](): void {
    if (this.#open) this.#file.close();
    this.#open = false;
  }

  /** The text as UTF-8, in a buffer that is used again: new ones would pile up until they are collected. */
  #encode(text: string): Uint8Array {
    const most = text.length * 3;
    if (this.#buffer.length < most) this.#buffer = new Uint8Array(most);
    return this.#buffer.subarray(0, this.#encoder.encodeInto(text, this.#buffer).written);
  }

  /** Keeps the whole rows of what was written in part, and cuts the file behind them. */
  #keep(written: Uint8Array): void {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(written);
    const kept = text.slice(0, recordsEnd(text));
    const bytes = this.#encoder.encode(kept);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#rows += csvParseRows(kept).length;
    try {
      this.#file.truncateSync(this.#bytes);
    } catch {
      // The reader drops a row that was cut off.
    }
  }
}
