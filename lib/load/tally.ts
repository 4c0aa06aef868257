import { failure, type FailureName, type Phase } from "../record/mod.ts";
import { RETRY_PAUSE_MS } from "./engine.ts";
import type { LoadPlan } from "./plan.ts";
import type { FailureCount, LoadReport, SecondReport } from "./report.ts";
import { RowLog } from "./row_log.ts";
import type { SecondCounts } from "./thread_protocol.ts";
import { TimeHistogram } from "./time_histogram.ts";

/** The hundreds that a status of three digits can have. */
const CLASSES = 10;

/** Whose tally it is. */
export interface TallyOptions {
  /** Connections of the thread: the places at which a request can be on its way. */
  readonly slots: number;
  /** The shard of the thread. */
  readonly shard: number;
  /** The thread in its shard. */
  readonly thread: number;
}

/** What a {@linkcode Tally} cannot know by itself. */
export interface LoadEnd {
  /** When the load ended, in milliseconds since it began. */
  readonly endMs: number;
  /** Requests that were due and never began. */
  readonly unsent: number;
  /** When it began, in milliseconds since 1970. */
  readonly startMs: number;
  /** The share of a processor that the thread had, and the share of the time in which it waited for one. */
  readonly cpuShare: number | null;
  /** See `cpuShare`. */
  readonly waitShare: number | null;
}

/**
 * Accounts for every request of one thread. A connection's place, its slot, holds one request at most: it begins, and
 * then is answered, fails, or is on its way when the load ends. Every histogram is made beforehand, and nothing is
 * allocated for a request (rows aside, whose columns grow by doubling).
 */
export class Tally {
  readonly #options: TallyOptions;
  readonly #seconds: number;
  readonly #sent: Float64Array;
  readonly #answered: Float64Array;
  readonly #failed: Float64Array;
  readonly #bodyBytes: Float64Array;
  readonly #service: readonly TimeHistogram[];
  /** In a closed loop a request should begin when it does: one histogram serves for both times. */
  readonly #response: readonly TimeHistogram[];
  readonly #isOpenLoop: boolean;
  readonly #lateness: TimeHistogram;
  readonly #timerLateness: TimeHistogram;
  readonly #failures = new Map<string, { phase: Phase; kind: FailureName; count: number }>();
  readonly #rows: RowLog | null;
  /** By slot: whether a request is on its way, its times and row, and since when the slot has been free. */
  readonly #isUnderWay: Uint8Array;
  readonly #intendedMs: Float64Array;
  readonly #startMs: Float64Array;
  readonly #row: Int32Array;
  readonly #freeMs: Float64Array;
  #sentCount = 0;
  #fresh = 0;
  #tellsFresh = true;
  #underWay = 0;
  #open = 0;
  #mostOpen = 0;

  /**
   * Makes everything ready.
   *
   * @param plan the load
   * @param options whose tally it is
   */
  constructor(plan: LoadPlan, options: TallyOptions) {
    // No time of a load can be longer than the load.
    const make = () => new TimeHistogram(plan.durationMs);
    const seconds = Math.max(1, Math.ceil(plan.durationMs / 1000));
    this.#options = options;
    this.#seconds = seconds;
    this.#sent = new Float64Array(seconds);
    this.#answered = new Float64Array(seconds * CLASSES);
    this.#failed = new Float64Array(seconds);
    this.#bodyBytes = new Float64Array(seconds);
    this.#isOpenLoop = plan.arrivals.loop === "open";
    this.#service = Array.from({ length: seconds }, make);
    this.#response = this.#isOpenLoop ? Array.from({ length: seconds }, make) : this.#service;
    this.#lateness = make();
    this.#timerLateness = make();
    this.#rows = plan.keepRows ? new RowLog() : null;
    this.#isUnderWay = new Uint8Array(options.slots);
    this.#intendedMs = new Float64Array(options.slots);
    this.#startMs = new Float64Array(options.slots);
    this.#row = new Int32Array(options.slots);
    this.#freeMs = new Float64Array(options.slots);
  }

  /** Requests that have begun. */
  get sent(): number {
    return this.#sentCount;
  }

  /** Requests that are on their way. */
  get underWay(): number {
    return this.#underWay;
  }

  /**
   * A request begins.
   *
   * @param slot the place of its connection
   * @param intendedMs when it should have begun; this and all times are milliseconds since the load began
   * @param startMs when it does
   * @param fresh whether its connection is opened for it; `null` when the client does not tell, for any of them
   */
  begin(slot: number, intendedMs: number, startMs: number, fresh: boolean | null): void {
    if (this.#isUnderWay[slot] === 1) throw new Error(`Slot ${slot} has a request on its way`);
    this.#isUnderWay[slot] = 1;
    this.#underWay++;
    this.#sentCount++;
    if (fresh === null) this.#tellsFresh = false;
    else if (fresh) this.#fresh++;
    this.#sent[this.#second(startMs)]!++;
    this.#intendedMs[slot] = intendedMs;
    this.#startMs[slot] = startMs;
    if (this.#isOpenLoop) {
      this.#lateness.record(startMs - intendedMs);
      // Before its connection was free it could not begin, however punctual the timer.
      this.#timerLateness.record(startMs - Math.max(intendedMs, this.#freeMs[slot]!));
    }
    if (this.#rows !== null) this.#row[slot] = this.#rows.begin(slot, fresh, intendedMs, startMs);
  }

  /**
   * When a slot's request began.
   *
   * @param slot the place
   * @returns the time; `Infinity` when none is on its way
   */
  startedMs(slot: number): number {
    return this.#isUnderWay[slot] === 1 ? this.#startMs[slot]! : Infinity;
  }

  /**
   * The response to a slot's request is whole.
   *
   * @param slot the place
   * @param status its status code
   * @param bodyBytes how long its body is
   * @param endMs when
   */
  answer(slot: number, status: number, bodyBytes: number, endMs: number): void {
    this.#end(slot, endMs);
    const second = this.#second(endMs);
    this.#answered[second * CLASSES + Math.floor(status / 100)]!++;
    this.#bodyBytes[second]! += bodyBytes;
    this.#service[second]!.record(endMs - this.#startMs[slot]!);
    if (this.#isOpenLoop) this.#response[second]!.record(endMs - this.#intendedMs[slot]!);
    this.#rows?.answer(this.#row[slot]!, status, endMs);
  }

  /**
   * A slot's request failed.
   *
   * @param slot the place
   * @param phase where
   * @param kind how
   * @param endMs when
   */
  fail(slot: number, phase: Phase, kind: FailureName, endMs: number): void {
    this.#end(slot, endMs);
    if (phase === "connect") this.#freeMs[slot]! += RETRY_PAUSE_MS;
    this.#failed[this.#second(endMs)]!++;
    const key = `${phase}/${kind}`;
    const counted = this.#failures.get(key);
    if (counted === undefined) this.#failures.set(key, { phase, kind, count: 1 });
    else counted.count++;
    this.#rows?.fail(this.#row[slot]!, phase, kind, endMs);
  }

  /** A connection has been opened. */
  opened(): void {
    this.#open++;
    if (this.#open > this.#mostOpen) this.#mostOpen = this.#open;
  }

  /** One that was opened has been closed. */
  closed(): void {
    this.#open--;
  }

  /**
   * What was counted in a second, which nothing more comes to once it is over.
   *
   * @param second which, from 0
   * @returns a copy of the counts
   */
  counted(second: number): SecondCounts {
    return {
      ...this.#numbers(second),
      service: this.#service[second]!.counts(),
      response: this.#isOpenLoop ? this.#response[second]!.counts() : null,
    };
  }

  /**
   * What came of the load.
   *
   * @param end what the tally cannot know
   * @returns the report of the thread
   */
  report({ endMs, unsent, startMs, cpuShare, waitShare }: LoadEnd): LoadReport {
    const { shard, thread } = this.#options;
    const seconds = Array.from({ length: this.#seconds }, (_, second) => this.#report(second));
    const failures = [...this.#failures.values()].map(({ phase, kind, count }): FailureCount => ({
      ...failure(phase, kind),
      count,
    }));
    return {
      sent: this.#sentCount,
      unsent,
      answered: Array.from(
        { length: CLASSES },
        (_, hundreds) => seconds.reduce((sum, { answered }) => sum + answered[hundreds]!, 0),
      ),
      failures,
      // Counted anew and not taken from the sum, so that the sum can be checked against it.
      unfinished: this.#isUnderWay.reduce((sum, flag) => sum + flag, 0),
      fresh: this.#tellsFresh ? this.#fresh : null,
      reused: this.#tellsFresh ? this.#sentCount - this.#fresh : null,
      bodyBytes: seconds.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0),
      startMs,
      elapsedMs: endMs,
      // A slot is free from when its last request ended, or a moment later.
      lastEndMs: Math.min(endMs, this.#freeMs.reduce((last, ms) => Math.max(last, ms), 0)),
      seconds: seconds.slice(0, Math.floor(endMs / 1000) + 1),
      rows: this.#rows?.rows(shard, thread) ?? null,
      generator: {
        cpuShare,
        waitShare,
        lateness: this.#lateness.encode(),
        timerLateness: this.#timerLateness.encode(),
        connections: this.#tellsFresh ? this.#mostOpen : null,
      },
    };
  }

  #report(second: number): SecondReport {
    const service = this.#service[second]!.encode();
    const response = this.#isOpenLoop ? this.#response[second]!.encode() : service;
    return { ...this.#numbers(second), service, response };
  }

  #numbers(second: number): Omit<SecondReport, "service" | "response"> {
    return {
      second,
      sent: this.#sent[second]!,
      answered: Array.from(this.#answered.subarray(second * CLASSES, (second + 1) * CLASSES)),
      failed: this.#failed[second]!,
      bodyBytes: this.#bodyBytes[second]!,
    };
  }

  #end(slot: number, endMs: number): void {
    if (this.#isUnderWay[slot] === 0) throw new Error(`Slot ${slot} has no request on its way`);
    this.#isUnderWay[slot] = 0;
    this.#underWay--;
    this.#freeMs[slot] = endMs;
  }

  /** What comes a moment after the end belongs to the last second. */
  #second(ms: number): number {
    return Math.min(this.#seconds - 1, Math.floor(ms / 1000));
  }
}
