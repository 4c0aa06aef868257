import type { FailureName, Phase } from "../../record/mod.ts";
import type { CrowdCounts, CrowdRow } from "../crowd_plan.ts";
import { failureCode, failureOf } from "../failure_code.ts";

/** How far a connection is. */
export const STATE = { unbegun: 0, opening: 1, open: 2, failed: 3, closed: 4 } as const;

/** Options of {@linkcode Ledger}. */
export interface LedgerOptions {
  /** The shard's place among the shards. @default {0} */
  readonly shard?: number;
  /** Whether the client tells when a connection ends. @default {true} */
  readonly seesEnds?: boolean;
}

/**
 * What became of each connection of a crowd, in some forty bytes each. It knows no clock: whoever writes into it says
 * when.
 */
export class Ledger {
  readonly #shard: number;
  readonly #seesEnds: boolean;
  readonly #state: Uint8Array;
  readonly #startMs: Float64Array;
  readonly #connectMs: Float64Array;
  readonly #openMs: Float64Array;
  readonly #closedMs: Float64Array;
  readonly #status: Uint16Array;
  readonly #sentBytes: Uint32Array;
  readonly #failure: Uint8Array;
  #begun = 0;
  #opened = 0;
  #failed = 0;
  #closed = 0;

  /**
   * @param connections how many there are to be
   * @param options whose they are
   */
  constructor(connections: number, options: LedgerOptions = {}) {
    this.#shard = options.shard ?? 0;
    this.#seesEnds = options.seesEnds ?? true;
    this.#state = new Uint8Array(connections);
    this.#startMs = new Float64Array(connections);
    this.#connectMs = new Float64Array(connections).fill(NaN);
    this.#openMs = new Float64Array(connections).fill(NaN);
    this.#closedMs = new Float64Array(connections).fill(NaN);
    this.#status = new Uint16Array(connections);
    this.#sentBytes = new Uint32Array(connections);
    this.#failure = new Uint8Array(connections);
  }

  /** How many there are to be. */
  get size(): number {
    return this.#state.length;
  }

  /** How many were begun: those with a lower number. */
  get begun(): number {
    return this.#begun;
  }

  /** How many are being opened. */
  get opening(): number {
    return this.#begun - this.#opened - this.#failed;
  }

  /** Whether each of them is open or has failed. */
  get isSettled(): boolean {
    return this.#opened + this.#failed === this.size;
  }

  /** What they are now. */
  get counts(): CrowdCounts {
    return {
      begun: this.#begun,
      opened: this.#opened,
      failed: this.#failed,
      open: this.#seesEnds ? this.#opened - this.#closed : null,
      closed: this.#seesEnds ? this.#closed : null,
    };
  }

  /** How far one is, of {@linkcode STATE}. */
  stateOf(connection: number): number {
    return this.#state[connection]!;
  }

  /** When one was begun. */
  startOf(connection: number): number {
    return this.#startMs[connection]!;
  }

  /** Whether one came to be connected. */
  isConnected(connection: number): boolean {
    return !Number.isNaN(this.#connectMs[connection]!);
  }

  /** Begins the next one, and gives its number. */
  begin(nowMs: number): number {
    const connection = this.#begun++;
    this.#state[connection] = STATE.opening;
    this.#startMs[connection] = nowMs;
    return connection;
  }

  /** One is connected. */
  connected(connection: number, nowMs: number): void {
    this.#connectMs[connection] = nowMs - this.#startMs[connection]!;
  }

  /** Bytes were sent over one. */
  sent(connection: number, bytes: number): void {
    this.#sentBytes[connection]! += bytes;
  }

  /** An answer came over one. */
  answered(connection: number, status: number): void {
    this.#status[connection] = status;
  }

  /** One is open. */
  opened(connection: number, nowMs: number): void {
    this.#state[connection] = STATE.open;
    this.#openMs[connection] = nowMs;
    this.#opened++;
  }

  /** One failed before it was open. */
  failed(connection: number, phase: Phase, kind: FailureName): void {
    this.#state[connection] = STATE.failed;
    this.#failed++;
    this.#failure[connection] = failureCode(phase, kind);
  }

  /**
   * One that was open was ended by the server.
   *
   * @param connection which
   * @param nowMs when
   * @param kind how, where it was not ended in order
   */
  closed(connection: number, nowMs: number, kind: FailureName | null): void {
    this.#state[connection] = STATE.closed;
    this.#closedMs[connection] = nowMs;
    this.#closed++;
    if (kind !== null) this.#failure[connection] = failureCode("wait", kind);
  }

  /** A row for each that was begun. */
  rows(): CrowdRow[] {
    return Array.from({ length: this.#begun }, (_, connection) => this.#row(connection));
  }

  #row(connection: number): CrowdRow {
    const failed = failureOf(this.#failure[connection]!);
    return {
      shard: this.#shard,
      connection,
      startMs: this.#startMs[connection]!,
      openMs: timeOrNull(this.#openMs[connection]!),
      connectMs: timeOrNull(this.#connectMs[connection]!),
      closedMs: timeOrNull(this.#closedMs[connection]!),
      status: this.#status[connection]! || null,
      sentBytes: this.#sentBytes[connection]!,
      phase: failed?.phase ?? null,
      failure: failed?.kind ?? null,
      side: failed?.side ?? null,
    };
  }
}

function timeOrNull(ms: number): number | null {
  return Number.isNaN(ms) ? null : ms;
}
