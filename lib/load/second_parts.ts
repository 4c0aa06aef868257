import { mergeSecond } from "./merge_reports.ts";
import type { SecondReport } from "./report.ts";
import type { SecondCounts } from "./thread_protocol.ts";
import { encodeCounts } from "./time_histogram.ts";

/** What threads tell of the seconds of a load while it goes on, each in their order, until every thread has. */
export class SecondParts {
  readonly #threads: number;
  readonly #parts = new Map<number, SecondReport[]>();

  /**
   * @param threads how many make the load
   */
  constructor(threads: number) {
    this.#threads = threads;
  }

  /**
   * Takes what a thread tells.
   *
   * @param counts its part of a second that is over
   * @returns the second of the whole; `null` while a thread's part is missing
   */
  take(counts: SecondCounts): SecondReport | null {
    const service = encodeCounts(counts.service);
    const response = counts.response === null ? service : encodeCounts(counts.response);
    const { second } = counts;
    const parts = [...this.#parts.get(second) ?? [], { ...counts, service, response }];
    this.#parts.set(second, parts);
    if (parts.length < this.#threads) return null;
    this.#parts.delete(second);
    return mergeSecond(second, parts);
  }
}
