import { enterFreshNetwork, KeptNetwork } from "../system/mod.ts";

/** The networks that the servers of a run have besides the run's, by name. They last for as long as this does. */
export class Networks implements Disposable {
  readonly #kept = new Map<string, KeptNetwork>();

  /**
   * Starts something in a network, which is made when nothing was started there before. The calling thread is there
   * meanwhile, and so nothing may be waited for.
   *
   * @param name the network's name
   * @param start starts it
   * @returns what that gave
   * @throws {Error} the system has no further network, or no descriptor for it
   */
  within<T>(name: string, start: () => T): T {
    using home = new KeptNetwork();
    try {
      this.#enter(name);
      return start();
    } finally {
      home.enter();
    }
  }

  #enter(name: string): void {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept.enter();
    enterFreshNetwork();
    this.#kept.set(name, new KeptNetwork());
  }

  /** Keeps them no more: each ends with what was started there. */
  [Symbol.dispose](): void {
    for (const kept of this.#kept.values()) kept[Symbol.dispose]();
    this.#kept.clear();
  }
}
