import { decodeFromCompressedBase64 } from "hdr-histogram-js";

/** How often a time occurred. */
export interface TimeCount {
  /** The time in milliseconds, to three digits. */
  readonly ms: number;
  /** How often. */
  readonly count: number;
}

/** Times that a load recorded, all together. */
export interface Latencies {
  /** How many there are. */
  readonly count: number;
  /** The longest in milliseconds; `null` when there are none. */
  readonly maxMs: number | null;
  /**
   * The time that a share of all does not exceed.
   *
   * @param percentile the share in percent, from 0 to 100
   * @returns the time in milliseconds; `null` when there are none
   */
  percentileMs(percentile: number): number | null;
  /** Every time that occurred, from the shortest on. */
  readonly times: readonly TimeCount[];
}

/**
 * Reads histograms back, and adds them up: percentiles of seconds or shards cannot be averaged, their histograms can
 * be added.
 *
 * Source: HdrHistogram, the compressed encoding V2, https://github.com/HdrHistogram/HdrHistogram.
 *
 * @param encoded histograms of microseconds as a {@linkcode LoadReport} has them; empty text is an empty one
 * @returns all times together
 */
export function readLatencies(encoded: readonly string[]): Latencies {
  const counts = new Map<number, number>();
  for (const text of encoded) {
    if (text === "") continue;
    const histogram = decodeFromCompressedBase64(text);
    for (const { us, count } of recorded(histogram)) counts.set(us, (counts.get(us) ?? 0) + count);
  }
  const times = [...counts].sort(([left], [right]) => left - right)
    .map(([us, count]) => ({ ms: us / 1000, count }));
  const total = times.reduce((sum, { count }) => sum + count, 0);
  return {
    count: total,
    times,
    maxMs: times.at(-1)?.ms ?? null,
    percentileMs(percentile) {
      const wanted = Math.max(1, Math.ceil(total * percentile / 100));
      let seen = 0;
      return times.find(({ count }) => (seen += count) >= wanted)?.ms ?? null;
    },
  };
}

type Decoded = ReturnType<typeof decodeFromCompressedBase64>;

/** The typed face of a decoded histogram has no iterator; a histogram of the JavaScript build does. */
interface Recorded {
  readonly recordedValuesIterator: {
    reset(): void;
    hasNext(): boolean;
    next(): { readonly valueIteratedTo: number; readonly countAtValueIteratedTo: number };
  };
  readonly maxValue: number;
}

function* recorded(histogram: Decoded): Generator<{ us: number; count: number }> {
  const { recordedValuesIterator: values, maxValue } = histogram as unknown as Recorded;
  values.reset();
  while (values.hasNext()) {
    const { valueIteratedTo, countAtValueIteratedTo: count } = values.next();
    // The iterator gives the upper end of each step, which is above the longest time of all.
    yield { us: Math.min(valueIteratedTo, maxValue), count };
  }
}
