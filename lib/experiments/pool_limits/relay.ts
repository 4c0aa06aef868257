import type { Origin } from "../../transport/mod.ts";
import type { ServerHandle } from "../contract.ts";

/** What stands before an origin and sees every connection to it, whether it carries a request or not. */
export class Relay {
  /** Where it takes connections. */
  readonly origin: Origin;
  readonly #flowsUrl: string;

  /**
   * @param server the lab's middlebox
   */
  constructor({ hostname, port, ports }: ServerHandle) {
    this.origin = { hostname, port };
    this.#flowsUrl = `http://${hostname}:${ports[0]}/flows`;
  }

  /**
   * Asks how many connections it has taken.
   *
   * @returns the count
   */
  async flows(): Promise<number> {
    const response = await fetch(this.#flowsUrl);
    const flows: readonly unknown[] = await response.json();
    return flows.length;
  }
}
