import type { ServerEnds } from "../experiments/mod.ts";
import type { ServerEnded, SETTLED } from "./protocol.ts";

/**
 * What the measuring process hears from the supervisor while it measures: that what it sent has been dealt with, and
 * which servers have ended.
 */
export class Inbox {
  readonly #ends: ServerEnds;
  readonly #originMs: number;
  #waiting: PromiseWithResolvers<void> | null = null;
  #isClosed = false;

  /**
   * Begins to listen.
   *
   * @param next waits for the next line; `null` when none will come
   * @param ends takes the ends of servers
   * @param originMs when the measurement began, on the clock of `performance.now()`
   */
  constructor(next: () => Promise<string | null>, ends: ServerEnds, originMs: number) {
    this.#ends = ends;
    this.#originMs = originMs;
    this.#listen(next);
  }

  /** Waits until the supervisor says that what was sent has been dealt with, or says nothing any more. */
  settled(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  async #listen(next: () => Promise<string | null>): Promise<void> {
    for (let line = await next(); line !== null; line = await next()) {
      const message: typeof SETTLED | ServerEnded = JSON.parse(line);
      if (message.type === "settled") this.#release();
      else this.#take(message);
    }
    this.#isClosed = true;
    this.#release();
  }

  #take({ server, end, atMs }: ServerEnded): void {
    // The two processes share no monotonic clock: how long ago it was is told by the one of the machine.
    const agoMs = Date.now() - atMs;
    this.#ends.take(server, { ...end, atMs: performance.now() - this.#originMs - agoMs });
  }

  #release(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}
