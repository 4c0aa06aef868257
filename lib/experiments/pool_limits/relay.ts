import type { Origin } from "../../transport/mod.ts";
import type { ServerHandle } from "../contract.ts";

/** What stands before an origin and sees every connection to it, whether it carries a request or not. */
export class Relay {
  /** Where it takes connections. */
  readonly origin: Origin;
  readonly #statsUrl: string;

  /**
   * @param server the lab's middlebox
   */
  constructor({ hostname, port, ports }: ServerHandle) {
    this.origin = { hostname, port };
    this.#statsUrl = `http://${hostname}:${ports[0]}/stats`;
  }

  /**
   * Asks how many connections it has taken.
   *
   * @returns the count
   * @throws {Error} it did not answer
   */
  async flows(): Promise<number> {
    const response = await fetch(this.#statsUrl);
    if (!response.ok) throw new Error(`The relay refused to tell its counts: ${await response.text()}`);
    return (await response.json()).flows;
  }
}
