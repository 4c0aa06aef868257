import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  Int32Histogram,
} from "hdr-histogram-js";

/** Three digits: a time is told within 0.1 %. */
const DIGITS = 3;
/** Below it an HDR histogram of three digits has a cell for each number. */
const SHORT_US = 2048;

/** What a {@linkcode TimeHistogram} has counted, by the cells of its two parts. */
export interface TimeCounts {
  /** Of short times, by microseconds. */
  readonly short: Uint32Array;
  /** Of the others, by the cells of the HDR histogram. */
  readonly long: Uint32Array;
}

/**
 * Times in an HDR histogram of microseconds, made before the first one comes: recording one allocates nothing. Short
 * times, which are most, are counted beside it, in the cells that it would have for them, and cost a quarter.
 *
 * Source: G. Tene, HdrHistogram, http://hdrhistogram.org.
 *
 * @example
 * ```ts
 * import { TimeHistogram } from "./time_histogram.ts";
 * import { readLatencies } from "./latencies.ts";
 * import { assertEquals } from "@std/assert";
 * const histogram = new TimeHistogram(1000);
 * for (const ms of [0.5, 1, 1.5]) histogram.record(ms);
 * assertEquals(readLatencies([histogram.encode()]).percentileMs(50), 1);
 * ```
 */
export class TimeHistogram {
  readonly #short = new Uint32Array(SHORT_US);
  readonly #all: Int32Histogram;

  /**
   * Makes an empty one.
   *
   * @param highestMs the longest time that is expected, in milliseconds; longer ones make it grow
   */
  constructor(highestMs: number) {
    const highestTrackableValue = Math.max(SHORT_US, Math.ceil(highestMs * 1000));
    this.#all = new Int32Histogram(1, highestTrackableValue, DIGITS);
    this.#all.autoResize = true;
  }

  /**
   * Takes a time.
   *
   * @param ms the time in milliseconds, >= 0
   */
  record(ms: number): void {
    const us = Math.round(ms * 1000);
    if (us < SHORT_US) this.#short[us]!++;
    else this.#all.recordValue(us);
  }

  /**
   * All counts as they stand: a copy, which takes a tenth of a millisecond where encoding takes several.
   *
   * @returns the counts, for {@linkcode encodeCounts}
   */
  counts(): TimeCounts {
    return { short: this.#short.slice(), long: (this.#all._counts as Uint32Array).slice() };
  }

  /**
   * All times, in the compressed base64 encoding (V2) that the tools of HdrHistogram read.
   *
   * @returns the text; empty when there are none
   */
  encode(): string {
    for (const [us, count] of this.#short.entries()) if (count > 0) this.#all.recordValueWithCount(us, count);
    this.#short.fill(0);
    return encoded(this.#all);
  }
}

/**
 * What {@linkcode TimeHistogram.encode} would have told when the counts were copied.
 *
 * @param counts the counts
 * @returns the text; empty when there are none
 */
export function encodeCounts({ short, long }: TimeCounts): string {
  const all = new Int32Histogram(1, SHORT_US, DIGITS);
  all.autoResize = true;
  for (const [us, count] of short.entries()) if (count > 0) all.recordValueWithCount(us, count);
  for (const [cell, count] of long.entries()) {
    if (count > 0) all.recordValueWithCount(all.valueFromIndex(cell), count);
  }
  return encoded(all);
}

/**
 * Adds histograms up.
 *
 * @param parts encoded histograms
 * @returns their sum, encoded
 */
export function addHistograms(parts: readonly string[]): string {
  const filled = parts.filter((part) => part !== "");
  if (filled.length < 2) return filled[0] ?? "";
  const sum = build({ bitBucketSize: 64, numberOfSignificantValueDigits: DIGITS });
  for (const part of filled) sum.add(decodeFromCompressedBase64(part, 64));
  return encoded(sum);
}

function encoded(histogram: Histogram): string {
  return histogram.totalCount === 0 ? "" : encodeIntoCompressedBase64(histogram);
}
