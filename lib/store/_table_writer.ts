import { csvParseRows } from "d3-dsv";
import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import type { TableResource } from "../record/mod.ts";
import { schemaOf } from "./_manifest_fields.ts";
import { csvHeader } from "./csv_format.ts";
import { recordsEnd } from "./csv_reader.ts";

const HASHED_BYTES = 256 * 1024;

/** Appends rows to one CSV file, and knows its size, hash and number of rows at any time. */
export class TableWriter implements Disposable {
  readonly #resource: TableResource;
  readonly #path: string;
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
    this.#path = join(path, resource.path);
    this.#file = Deno.openSync(this.#path, { write: true, createNew: true });
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
    const hash = describeHash(this.#hash);
    const { schema, ...rest } = this.#resource;
    return { ...rest, bytes: this.#bytes, hash, rows: this.#rows, schema };
  }

  /** How the file is not as it was written any more, such as `naps.csv is missing`; `null` when it is. */
  findChange(): string | null {
    const { path } = this.#resource;
    try {
      const { isFile, size } = Deno.lstatSync(this.#path);
      if (!isFile) return `${path} is no plain file any more`;
      if (size !== this.#bytes) return `${path} must have ${this.#bytes} bytes, and has ${size}`;
      return hashFile(this.#path) === describeHash(this.#hash) ? null : `${path} was changed meanwhile`;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return `${path} is missing`;
      throw error;
    }
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

function describeHash(hash: Hash): string {
  return `sha256:${hash.copy().digest("hex")}`;
}

function hashFile(path: string): string {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(HASHED_BYTES);
  using file = Deno.openSync(path);
  for (let count = file.readSync(buffer); count !== null; count = file.readSync(buffer)) {
    hash.update(buffer.subarray(0, count));
  }
  return describeHash(hash);
}
