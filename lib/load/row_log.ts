import type { FailureName, Phase } from "../record/mod.ts";
import { failureCode, failureOf } from "./failure_code.ts";
import type { RequestRow } from "./report.ts";

const FIRST_CAPACITY = 65_536;
/** No status. */
const NONE = 0;
/** It is not told whether a connection was opened. */
const UNTOLD = 2;

/** What became of each request, in columns of numbers: a row takes 35 bytes and makes no object. */
export class RowLog {
  #count = 0;
  #capacity = 0;
  #connection = new Int32Array();
  #fresh = new Uint8Array();
  #intendedMs = new Float64Array();
  #startMs = new Float64Array();
  #endMs = new Float64Array();
  #status = new Int16Array();
  #failure = new Uint8Array();

  /**
   * Adds a request that begins.
   *
   * @returns its row
   */
  begin(connection: number, fresh: boolean | null, intendedMs: number, startMs: number): number {
    if (this.#count === this.#capacity) this.#grow();
    const row = this.#count++;
    this.#connection[row] = connection;
    this.#fresh[row] = fresh === null ? UNTOLD : Number(fresh);
    this.#intendedMs[row] = intendedMs;
    this.#startMs[row] = startMs;
    this.#endMs[row] = NaN;
    return row;
  }

  /** Completes a row with a response. */
  answer(row: number, status: number, endMs: number): void {
    this.#status[row] = status;
    this.#endMs[row] = endMs;
  }

  /** Completes a row with a failure. */
  fail(row: number, phase: Phase, kind: FailureName, endMs: number): void {
    this.#failure[row] = failureCode(phase, kind);
    this.#endMs[row] = endMs;
  }

  /** The rows as objects. */
  rows(shard: number, thread: number): RequestRow[] {
    return Array.from({ length: this.#count }, (_, row) => this.#row(row, shard, thread));
  }

  #row(row: number, shard: number, thread: number): RequestRow {
    const failed = failureOf(this.#failure[row]!);
    return {
      shard,
      thread,
      connection: this.#connection[row]!,
      fresh: this.#fresh[row] === UNTOLD ? null : this.#fresh[row] === 1,
      intendedMs: this.#intendedMs[row]!,
      startMs: this.#startMs[row]!,
      endMs: Number.isNaN(this.#endMs[row]) ? null : this.#endMs[row]!,
      status: this.#status[row] === NONE ? null : this.#status[row]!,
      phase: failed?.phase ?? null,
      failure: failed?.kind ?? null,
      side: failed?.side ?? null,
    };
  }

  #grow(): void {
    this.#capacity = Math.max(FIRST_CAPACITY, this.#capacity * 2);
    this.#connection = grown(this.#connection, this.#capacity);
    this.#fresh = grown(this.#fresh, this.#capacity);
    this.#intendedMs = grown(this.#intendedMs, this.#capacity);
    this.#startMs = grown(this.#startMs, this.#capacity);
    this.#endMs = grown(this.#endMs, this.#capacity);
    this.#status = grown(this.#status, this.#capacity);
    this.#failure = grown(this.#failure, this.#capacity);
  }
}

type Column =
  | Float64Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>;

function grown<C extends Column>(column: C, capacity: number): C {
  const larger = new (column.constructor as new (length: number) => C)(capacity);
  larger.set(column);
  return larger;
}
