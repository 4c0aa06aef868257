import type { FailureName, Phase, Side } from "../record/mod.ts";

/** How many requests failed in one way. */
export interface FailureCount {
  /** The part of the exchange. */
  readonly phase: Phase;
  /** The kind. */
  readonly kind: FailureName;
  /** Whose limit or fault it is. */
  readonly side: Side;
  /** How many. */
  readonly count: number;
}

/** What began in one second of a load, and what came of it. */
export interface SecondReport {
  /** Which second, from 0, since the load began. */
  readonly second: number;
  /** Requests that were sent in it. */
  readonly sent: number;
  /** Responses that ended in it, by the hundreds of their status: index 2 is 2xx. */
  readonly answered: readonly number[];
  /** Requests that failed in it. */
  readonly failed: number;
  /** Bytes of bodies that came in it. */
  readonly bodyBytes: number;
  /**
   * Service times (from the actual start) of the responses that ended in it: an HDR histogram in microseconds, in the
   * compressed base64 encoding (V2); empty when there are none.
   */
  readonly service: string;
  /** Response times (from the intended start) of the same responses. */
  readonly response: string;
}

/** One request, where rows are kept. Times are milliseconds since the load began. */
export interface RequestRow {
  /** The thread's shard, and the thread in it. */
  readonly shard: number;
  /** See `shard`. */
  readonly thread: number;
  /** The connection's place in the thread. */
  readonly connection: number;
  /** Whether the connection was opened for it; `null` when the client does not tell. */
  readonly fresh: boolean | null;
  /** When it should have begun. */
  readonly intendedMs: number;
  /** When it began. */
  readonly startMs: number;
  /** When its response was whole, or it failed; `null` when it was unfinished at the end. */
  readonly endMs: number | null;
  /** The status; `null` without one. */
  readonly status: number | null;
  /** Where it failed; `null` when it did not. */
  readonly phase: Phase | null;
  /** How. */
  readonly failure: FailureName | null;
  /** Whose limit or fault that was. */
  readonly side: Side | null;
}

/** What the machine and the clock did to whoever made the load. */
export interface GeneratorReport {
  /** The share of one processor that the busiest thread had, 0 to 1; `null` where the system does not tell, or of a short load. */
  readonly cpuShare: number | null;
  /**
   * The share of the time in which a thread was ready to run and had no processor, that of the thread with the most,
   * 0 to 1; `null` where the system does not tell, or of a short load.
   */
  readonly waitShare: number | null;
  /** Actual − intended start of every request of an open loop: an HDR histogram in microseconds, encoded. */
  readonly lateness: string;
  /** The same from when its connection was free, where that was later: what the generator alone is to blame for. */
  readonly timerLateness: string;
  /** The most connections that were open at once, those of each thread by itself; `null` when the client does not tell. */
  readonly connections: number | null;
}

/**
 * What came of a load. Plain data. It holds that
 * `sent = sum(answered) + sum(failures) + unfinished` and `fresh + reused = sent`.
 */
export interface LoadReport {
  /** Requests that began. */
  readonly sent: number;
  /**
   * Requests whose time came and that never began, of an open loop: no connection was free, or they were due in the
   * last moment, which a busy thread reaches late.
   */
  readonly unsent: number;
  /** Whole responses by the hundreds of their status, index 2 is 2xx. */
  readonly answered: readonly number[];
  /** Requests that failed. */
  readonly failures: readonly FailureCount[];
  /** Requests that were on their way when the load ended. */
  readonly unfinished: number;
  /** Requests for which a connection was opened, failed ones included; `null` when the client does not tell. */
  readonly fresh: number | null;
  /** Requests over a connection that had carried one before; `null` when the client does not tell. */
  readonly reused: number | null;
  /** Bytes of bodies that came. */
  readonly bodyBytes: number;
  /** When it began, in milliseconds since 1970: every thread was ready by then. */
  readonly startMs: number;
  /** How long it lasted, in milliseconds: the plan's duration, or less when all was done or it was stopped. */
  readonly elapsedMs: number;
  /** When the last request ended, in milliseconds since it began; 0 when none did. */
  readonly lastEndMs: number;
  /** The same by seconds. */
  readonly seconds: readonly SecondReport[];
  /** Where rows are kept, every request in the order in which they began. */
  readonly rows: readonly RequestRow[] | null;
  /** What the generator went through. */
  readonly generator: GeneratorReport;
}
