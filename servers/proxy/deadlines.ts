/** How often deadlines are looked at, in milliseconds: one timer for all costs less than a timer for each request. */
const GRAIN_MS = 50;

/** Something that is to end by a time. */
export interface Timed {
  /** When, by {@linkcode Deadlines.in}; `Infinity` while there is no hurry. */
  readonly deadlineMs: number;
  /** Called once that time has passed, again and again until it is moved. */
  expire(): void;
}

/** Ends what takes too long, within two of {@linkcode GRAIN_MS} of its deadline. */
export class Deadlines {
  readonly #all = new Set<Timed>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** When deadlines were looked at last: asking the clock for each would cost more than all else that sets one. */
  #nowMs = 0;

  /** Watches over something. */
  add(timed: Timed): void {
    this.#all.add(timed);
    if (this.#timer !== undefined) return;
    this.#nowMs = performance.now();
    this.#timer = setInterval(() => this.#look(), GRAIN_MS);
  }

  /** Watches over it no more. */
  delete(timed: Timed): void {
    this.#all.delete(timed);
    if (this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * A deadline.
   *
   * @param ms how much time there is, in milliseconds
   * @returns when it is over
   */
  in(ms: number): number {
    return this.#nowMs + GRAIN_MS + ms;
  }

  #look(): void {
    const nowMs = this.#nowMs = performance.now();
    for (const timed of this.#all) if (timed.deadlineMs <= nowMs) timed.expire();
  }
}
