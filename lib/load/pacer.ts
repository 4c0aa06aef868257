import { randomSource } from "../stats/mod.ts";
import type { Arrivals } from "./plan.ts";

/** Arrivals of an open loop. */
export type OpenArrivals = Extract<Arrivals, { readonly loop: "open" }>;

/** When a {@linkcode Pacer} ends, and whose requests it paces. */
export interface PacerOptions {
  /** How long requests begin, in milliseconds. */
  readonly durationMs: number;
  /** Requests that begin, at most, over all parts; `null` without a bound. @default {null} */
  readonly requests?: number | null;
  /** The seed of a Poisson process, the same for all parts. @default {0} */
  readonly seed?: number;
  /** Which of the parts this is, from 0. @default {0} */
  readonly part?: number;
  /** How many parts make the load together: the threads of all shards. @default {1} */
  readonly parts?: number;
}

/**
 * The times at which the requests of an open loop should begin, one after another. Pure: it knows no clock, and a
 * server that stops does not move them. Requests whose time has come and that found no connection need no queue
 * besides it: they are the ones that it has not been asked for yet.
 *
 * The k-th request of the whole load belongs to part `k mod parts`, so that the parts together are the process that
 * one part alone would be, for any number of them. A constant rate is computed from k and not added up: it does not
 * drift. The gaps of a Poisson process are exponential, drawn from the seed.
 *
 * Source: inverse transform of the exponential distribution, L. Devroye, "Non-Uniform Random Variate Generation"
 * (1986), II.2. On open and closed loops: B. Schroeder, A. Wierman, M. Harchol-Balter, NSDI 2006.
 *
 * @example
 * ```ts
 * import { Pacer } from "./pacer.ts";
 * import { assertEquals } from "@std/assert";
 * const arrivals = { loop: "open", ratePerSecond: 100, spacing: "constant" } as const;
 * const pacer = new Pacer(arrivals, { durationMs: 60, part: 1, parts: 2 });
 * const starts: number[] = [];
 * for (; pacer.nextMs < Infinity; pacer.advance()) starts.push(pacer.nextMs);
 * assertEquals(starts, [10, 30, 50]);
 * ```
 */
export class Pacer {
  readonly #durationMs: number;
  readonly #requests: number;
  readonly #ratePerSecond: number;
  readonly #parts: number;
  /** Random numbers in [0, 1); `null` where the spacing is constant. */
  readonly #random: (() => number) | null;
  /** The place in the whole load of the request that is next, and when it should begin. */
  #place = -1;
  #atMs = 0;
  #nextMs = 0;

  /**
   * Stands at the part's first request.
   *
   * @param arrivals the rate of all parts together, and the spacing
   * @param options the end, the seed, and which part this is
   * @throws {RangeError} the rate or the duration is not > 0, or the part is not one of the parts
   */
  constructor(arrivals: OpenArrivals, options: PacerOptions) {
    const { ratePerSecond, spacing } = arrivals;
    const { durationMs, requests = null, seed = 0, part = 0, parts = 1 } = options;
    refuseUnlessPositive("ratePerSecond", ratePerSecond);
    refuseUnlessPositive("durationMs", durationMs);
    if (!Number.isInteger(parts) || !Number.isInteger(part) || part < 0 || part >= parts) {
      throw new RangeError(
        `Cannot pace requests as part must be a whole number from 0 and < parts: current value is ` +
          `${part} of ${parts}`,
      );
    }
    this.#durationMs = durationMs;
    this.#requests = requests ?? Infinity;
    this.#ratePerSecond = ratePerSecond;
    this.#parts = parts;
    this.#random = spacing === "poisson" ? randomSource(seed) : null;
    this.#step(part + 1);
  }

  /** When the next request of the part should begin, in milliseconds since the load began; `Infinity` after the last. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** Whether the bound of requests is reached: none would follow, however long it lasted. */
  get isExhausted(): boolean {
    return this.#place >= this.#requests;
  }

  /** Goes on to the request after it. */
  advance(): void {
    if (this.#nextMs < Infinity) this.#step(this.#parts);
  }

  #step(places: number): void {
    this.#place += places;
    if (this.#random === null) {
      this.#atMs = this.#place * 1000 / this.#ratePerSecond;
    } else {
      // The gaps of the other parts' requests are drawn too: that is what makes the parts one process.
      for (let drawn = 0; drawn < places; drawn++) {
        this.#atMs -= Math.log(1 - this.#random()) * 1000 / this.#ratePerSecond;
      }
    }
    const isOver = this.#place >= this.#requests || this.#atMs >= this.#durationMs;
    this.#nextMs = isOver ? Infinity : this.#atMs;
  }
}

function refuseUnlessPositive(name: string, value: number): void {
  if (value > 0 && value < Infinity) return;
  throw new RangeError(`Cannot pace requests as ${name} must be > 0: current value is ${value}`);
}
