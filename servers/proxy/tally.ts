import type { Failure } from "../../lib/record/mod.ts";

/** Where a kept connection turned out to be dead: as the request was written, or as the answer was read. */
export type StaleSign = "write" | "read";

/** How often, by {@linkcode StaleSign}. */
export type StaleCounts = Readonly<Record<StaleSign, number>>;

/** How many requests failed in one way. */
export interface FailureTally extends Failure {
  /** How many. */
  readonly count: number;
}

/** What a proxy has counted beside the connections of its pool. */
export class Tally {
  /** Requests that came, those of `/__stats` not included. */
  requests = 0;
  /** Requests that are being passed on. */
  inFlight = 0;
  /** Answers of backends that reached their client whole. */
  passed = 0;
  /** Heads that were refused. */
  refused = 0;
  /** Clients that left before their answer was whole. */
  left = 0;
  /** Connections of clients that were accepted. */
  accepted = 0;
  /** Connections of clients that are open. */
  active = 0;
  readonly #stale: Record<StaleSign, number> = { write: 0, read: 0 };
  readonly #retried: Record<StaleSign, number> = { write: 0, read: 0 };
  readonly #failed = new Map<string, { failure: Failure; count: number }>();

  /** Kept connections that failed before a byte of an answer. */
  get stale(): StaleCounts {
    return { ...this.#stale };
  }

  /** Requests that were sent once more for it. */
  get retried(): StaleCounts {
    return { ...this.#retried };
  }

  /** Requests that failed, by phase and kind. */
  get failed(): FailureTally[] {
    return [...this.#failed.values()].map(({ failure, count }) => ({ ...failure, count }));
  }

  /** Counts a kept connection that turned out to be dead, and whether its request is sent once more. */
  meetStale(sign: StaleSign, retried: boolean): void {
    this.#stale[sign]++;
    if (retried) this.#retried[sign]++;
  }

  /** Counts a request that failed. */
  fail(failure: Failure): void {
    const key = `${failure.phase} ${failure.kind} ${failure.side}`;
    const entry = this.#failed.get(key);
    if (entry === undefined) this.#failed.set(key, { failure, count: 1 });
    else entry.count++;
  }

  /** What `/__stats` tells of it. */
  get json(): Record<string, unknown> {
    const { requests, inFlight, passed, refused, left, accepted, active, stale, retried, failed } = this;
    return {
      requests,
      inFlight,
      passed,
      refused,
      left,
      clients: { accepted, active },
      stale,
      retried,
      failed,
    };
  }
}
