import type { Row, TableSchema, Warning } from "../record/mod.ts";
import { rowFormatter } from "../store/mod.ts";
import type { MeasureEvent } from "./protocol.ts";

/** Rows are handed on in pieces of about this size. */
const PIECE_CHARACTERS = 64 * 1024;

const PROGRESS_INTERVAL_MS = 100;

/** Whoever takes what a measurement says. */
export interface Listener {
  /** Takes it. */
  readonly send: (event: MeasureEvent) => void;
  /** Waits until all that was sent has been dealt with. */
  readonly settled: () => Promise<void>;
}

/**
 * Takes what a measurement says, and hands it on between timed intervals only: rows when 64 KiB have come
 * together or progress is told, warnings at once. An interval begins when whoever takes all this has done
 * with it, so that nothing of the lab works beside it.
 */
export class Recorder {
  readonly #buffers = new Map<string, RowBuffer>();
  readonly #listener: Listener;
  readonly #warnings: Warning[] = [];
  readonly #warned = new Set<string>();
  #reportedMs = -Infinity;
  #intervals = 0;
  #sent = 0;
  #settled = 0;
  #settling: Promise<void> | null = null;

  /**
   * @param tables the tables that may be written to
   * @param listener takes what is said
   */
  constructor(tables: Readonly<Record<string, TableSchema>>, listener: Listener) {
    this.#listener = listener;
    for (const [name, schema] of Object.entries(tables)) this.#buffers.set(name, new RowBuffer(schema));
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
    const full = buffer.add(row);
    if (full && !this.#timing) this.#write(table, buffer);
  }

  /**
   * Takes a warning. A code counts once.
   *
   * @param warning the warning
   * @throws {TypeError} it is no warning
   */
  warn(warning: Warning): void {
    const { code, message, remedy } = Object(warning) as Partial<Warning>;
    for (const [name, text] of Object.entries({ code, message, remedy })) {
      if (typeof text === "string") continue;
      throw new TypeError(`Cannot warn as the warning's ${name} must be text: current value is ${text}`);
    }
    if (this.#warned.has(warning.code)) return;
    this.#warned.add(warning.code);
    this.#warnings.push(warning);
    if (!this.#timing) this.flush();
  }

  /**
   * Takes how far the measurement is: nothing during a timed interval, and not more often than people see.
   *
   * @param done the work done
   * @param total the work in all
   * @param text what is being done
   */
  progress(done: number, total: number, text: string): void {
    if (this.#timing) return;
    this.flush();
    const nowMs = performance.now();
    if (done < total && nowMs - this.#reportedMs < PROGRESS_INTERVAL_MS) return;
    this.#reportedMs = nowMs;
    this.#send({ type: "progress", done, total, text });
  }

  /**
   * Runs a timed interval.
   *
   * @param work what is timed
   * @returns what `work` returned and how long it took, in milliseconds
   */
  async timed<R>(work: () => Promise<R>): Promise<{ readonly value: R; readonly elapsedMs: number }> {
    // An interval within another does not wait: nothing has been sent since that one began.
    while (!this.#timing && this.#settled < this.#sent) await (this.#settling ??= this.#settle());
    this.#intervals++;
    try {
      const start = performance.now();
      const value = await work();
      return { value, elapsedMs: performance.now() - start };
    } finally {
      this.#intervals--;
    }
  }

  /** Hands on everything that waits, also during a timed interval. */
  flush(): void {
    for (const [table, buffer] of this.#buffers) this.#write(table, buffer);
    for (const warning of this.#warnings.splice(0)) this.#send({ type: "warning", warning });
  }

  get #timing(): boolean {
    return this.#intervals > 0;
  }

  #write(table: string, buffer: RowBuffer): void {
    for (const piece of buffer.take()) this.#send({ type: "rows", table, ...piece });
  }

  #send(event: MeasureEvent): void {
    this.#sent++;
    this.#listener.send(event);
  }

  async #settle(): Promise<void> {
    const sent = this.#sent;
    await this.#listener.settled();
    this.#settled = sent;
    this.#settling = null;
  }
}

/** Whole rows as lines of CSV. */
interface Piece {
  readonly text: string;
  readonly count: number;
}

/**
 * Rows of one table that wait. A long interval may bring millions: they are kept as a few long texts, and
 * go in pieces that a pipe and its reader can take.
 */
class RowBuffer {
  readonly #format: (row: Readonly<Row>) => string;
  readonly #pieces: Piece[] = [];
  #lines: string[] = [];
  #characters = 0;

  constructor(schema: TableSchema) {
    this.#format = rowFormatter(schema);
  }

  /** Takes a row; whether a piece has come together. */
  add(row: Readonly<Row>): boolean {
    const line = this.#format(row);
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters >= PIECE_CHARACTERS) this.#cut();
    return this.#pieces.length > 0;
  }

  /** Gives up all that it has. */
  take(): Piece[] {
    if (this.#lines.length > 0) this.#cut();
    return this.#pieces.splice(0);
  }

  #cut(): void {
    this.#pieces.push({ text: this.#lines.join(""), count: this.#lines.length });
    this.#lines = [];
    this.#characters = 0;
  }
}
