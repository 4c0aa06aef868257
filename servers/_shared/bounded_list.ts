/** A record of what came, of which the newest are kept: a server that runs for long must not grow. */
export class BoundedList<T> {
  readonly #max: number;
  #items: T[] = [];
  #dropped = 0;

  /**
   * @param max how many are kept
   */
  constructor(max: number) {
    this.#max = max;
  }

  /** What is kept, in order. */
  get items(): readonly T[] {
    return this.#items.slice(-this.#max);
  }

  /** How many older ones are gone. */
  get dropped(): number {
    return this.#dropped + Math.max(0, this.#items.length - this.#max);
  }

  /**
   * Adds one.
   *
   * @param item what came
   */
  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length < 2 * this.#max) return;
    this.#dropped += this.#items.length - this.#max;
    this.#items = this.#items.slice(-this.#max);
  }
}
