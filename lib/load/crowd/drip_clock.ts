/**
 * Says which connection is to send its next byte: each of them every so often, since it was added. It knows no clock.
 *
 * @example
 * ```ts
 * import { DripClock } from "./drip_clock.ts";
 * import { assertEquals } from "@std/assert";
 * const clock = new DripClock(100, 2);
 * clock.add(7, 0);
 * clock.add(8, 30);
 * assertEquals([clock.dueMs, clock.take(99), clock.take(100), clock.take(100)], [100, null, 7, null]);
 * clock.add(7, 100);
 * assertEquals([clock.dueMs, clock.take(150), clock.dueMs], [130, 8, 200]);
 * ```
 */
export class DripClock {
  readonly #everyMs: number;
  /** A ring: as the time between is the same for all, who was added first is due first. */
  readonly #connections: Uint32Array;
  readonly #dueMs: Float64Array;
  #first = 0;
  #count = 0;

  /**
   * @param everyMs the time between two bytes of a connection, in milliseconds
   * @param capacity how many connections there are at most
   */
  constructor(everyMs: number, capacity: number) {
    this.#everyMs = everyMs;
    this.#connections = new Uint32Array(capacity);
    this.#dueMs = new Float64Array(capacity);
  }

  /** When the next byte is due; `Infinity` for never. */
  get dueMs(): number {
    return this.#count === 0 ? Infinity : this.#dueMs[this.#first]!;
  }

  /**
   * Has a connection send its next byte in time.
   *
   * @param connection its number
   * @param nowMs the time from which it counts: no earlier than that of the connection that was added last
   */
  add(connection: number, nowMs: number): void {
    const at = (this.#first + this.#count++) % this.#connections.length;
    this.#connections[at] = connection;
    this.#dueMs[at] = nowMs + this.#everyMs;
  }

  /**
   * Takes the connection that is due. It is due no more until it is added again.
   *
   * @param nowMs the time
   * @returns its number; `null` when none is due
   */
  take(nowMs: number): number | null {
    if (this.dueMs > nowMs) return null;
    const connection = this.#connections[this.#first]!;
    this.#first = (this.#first + 1) % this.#connections.length;
    this.#count--;
    return connection;
  }
}
