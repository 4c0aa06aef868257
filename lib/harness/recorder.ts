import type { Row, TableSchema } from "../record/mod.ts";
import { rowFormatter } from "../store/mod.ts";

const FLUSH_CHARACTERS = 64 * 1024;

/** Takes whole rows of one table as CSV text. */
export type RowSink = (table: string, text: string, count: number) => void;

/** Rows of one table that wait to be written. */
interface Buffer {
  readonly format: (row: Readonly<Row>) => string;
  text: string;
  count: number;
}

/**
 * Buffers the rows of a measurement and hands them on between timed intervals: when asked, or when
 * 64 KiB have come together, but never while an interval lasts.
 */
export class Recorder {
  readonly #buffers = new Map<string, Buffer>();
  readonly #sink: RowSink;
  #intervals = 0;

  /**
   * @param tables the tables that may be written to
   * @param sink takes the rows
   */
  constructor(tables: Readonly<Record<string, TableSchema>>, sink: RowSink) {
    this.#sink = sink;
    for (const [name, schema] of Object.entries(tables)) {
      this.#buffers.set(name, { format: rowFormatter(schema), text: "", count: 0 });
    }
  }

  /**
   * Takes a row.
   *
   * @param table the table that it belongs to
   * @param row its cells
   * @throws {RangeError} there is no such table
   */
  emit(table: string, row: Readonly<Row>): void {
    const buffer = this.#buffers.get(table);
    if (!buffer) {
      const known = [...this.#buffers.keys()].join(", ");
      throw new RangeError(
        `Cannot record a row as the experiment declares no table ${table}: it declares ${known}`,
      );
    }
    buffer.text += buffer.format(row);
    buffer.count++;
    if (buffer.text.length >= FLUSH_CHARACTERS && this.#intervals === 0) this.#write(table, buffer);
  }

  /**
   * Runs a timed interval, during which nothing is written.
   *
   * @param work what is timed
   * @returns what `work` returned and how long it took, in milliseconds
   */
  async timed<R>(work: () => Promise<R>): Promise<{ readonly value: R; readonly elapsedMs: number }> {
    this.#intervals++;
    try {
      const start = performance.now();
      const value = await work();
      return { value, elapsedMs: performance.now() - start };
    } finally {
      this.#intervals--;
    }
  }

  /** Whether a timed interval lasts. */
  get timing(): boolean {
    return this.#intervals > 0;
  }

  /** Hands on every row that waits. */
  flush(): void {
    for (const [table, buffer] of this.#buffers) if (buffer.count > 0) this.#write(table, buffer);
  }

  #write(table: string, buffer: Buffer): void {
    const { text, count } = buffer;
    buffer.text = "";
    buffer.count = 0;
    this.#sink(table, text, count);
  }
}
