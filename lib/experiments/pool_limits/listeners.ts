import type { ServerHandle } from "../contract.ts";
import type { ListenerCounts } from "./counts.ts";

/** The ports of an origin: each is given away once, so that what it has counted belongs to one client. */
export class Listeners implements Disposable {
  /** The address. */
  readonly hostname: string;
  /** What is trusted when it speaks TLS; `undefined` for plain HTTP. */
  readonly ca: string | undefined;
  readonly #server: ServerHandle;
  readonly #statsUrl: string;
  readonly #client: Deno.HttpClient;
  #given = 0;

  /**
   * @param server the origin
   * @param ca what is trusted when it speaks TLS; `undefined` for plain HTTP
   */
  constructor(server: ServerHandle, ca?: string) {
    this.hostname = server.hostname;
    this.ca = ca;
    this.#server = server;
    this.#statsUrl = `${ca === undefined ? "http" : "https"}://${server.hostname}:${server.port}/stats`;
    this.#client = Deno.createHttpClient(ca === undefined ? {} : { caCerts: [ca] });
  }

  /**
   * Gives away a port.
   *
   * @returns the port
   * @throws {RangeError} there is none left
   */
  nextPort(): number {
    const port = this.#server.ports[this.#given++];
    if (port !== undefined) return port;
    throw new RangeError(`Cannot go on as the origin listens on ${this.#server.ports.length} ports`);
  }

  /** The port that a relay before it leads to: its last, which is not given away. */
  get relayedPort(): number {
    return this.#server.ports.at(-1)!;
  }

  /**
   * Asks what was counted at a port.
   *
   * @param port one that was given away
   * @returns the counts
   * @throws {Error} the origin did not answer
   */
  async countsAt(port: number): Promise<ListenerCounts> {
    const response = await fetch(`${this.#statsUrl}?port=${port}`, { client: this.#client });
    if (!response.ok) throw new Error(`The origin refused to tell its counts: ${await response.text()}`);
    return await response.json();
  }

  /** Closes its own connection. */
  [Symbol.dispose](): void {
    this.#client.close();
  }
}
