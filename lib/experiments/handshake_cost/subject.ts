import type { ServerHandle } from "../contract.ts";
import { type Endpoint, isLocal } from "./socket_ledger.ts";

/** Where the requests of a round go. */
export interface Destination extends Endpoint {
  /** The name or address in requests, an IPv6 one without brackets. */
  readonly hostname: string;
  /** The path with its query. */
  readonly path: string;
}

/** What a run measures: the lab's origin, or a server of the person's own. */
export interface Subject {
  /** Where the next round goes. */
  next(): Destination;
  /**
   * How many connections the server itself counted at a round's port; `null` when it tells nothing.
   *
   * @throws {Error} the server did not answer
   */
  countAtServer(destination: Destination): Promise<ServerCount | null>;
  /** Whether both ends of a connection are in this machine's socket table. */
  readonly local: boolean;
}

/** What a server counted. */
export interface ServerCount {
  /** How many connections. */
  readonly connections: number;
  /** By its connection events, or only by the ports that clients came from. */
  readonly by: "events" | "client ports";
}

/** The lab's origin: a fresh listening port for every round, and connections counted at the server. */
export class OriginSubject implements Subject {
  readonly local = true;
  readonly #origin: ServerHandle;
  readonly #path: string;
  #used = 0;

  /**
   * @param origin the server, with a port for every round
   * @param bodyBytes the size of each response's body
   */
  constructor(origin: ServerHandle, bodyBytes: number) {
    this.#origin = origin;
    this.#path = `/static?bytes=${bodyBytes}`;
  }

  next(): Destination {
    const { hostname, ports } = this.#origin;
    const port = ports[this.#used++];
    if (port === undefined) {
      throw new RangeError(`Cannot begin a round as the origin listens on ${ports.length} ports`);
    }
    return { address: hostname, hostname, port, path: this.#path };
  }

  async countAtServer({ port }: Destination): Promise<ServerCount> {
    const response = await fetch(`http://${this.#origin.hostname}:${this.#origin.port}/stats?port=${port}`);
    if (!response.ok) throw new Error(`The origin refused to tell its counts: ${await response.text()}`);
    const { accepted, clientPorts }: { accepted: number | null; clientPorts: number } = await response.json();
    return accepted === null
      ? { connections: clientPorts, by: "client ports" }
      : { connections: accepted, by: "events" };
  }
}

/** A server of the person's own: what only the lab's server could tell is not known. */
export class TargetSubject implements Subject {
  readonly local: boolean;
  readonly #destination: Destination;

  private constructor(destination: Destination, local: boolean) {
    this.#destination = destination;
    this.local = local;
  }

  /**
   * Opens one connection, to learn the address behind the name and whether it is this machine's.
   *
   * @param target an `http:` URL
   * @returns the subject
   * @throws {Error} nothing answers there
   */
  static async find(target: string): Promise<TargetSubject> {
    const { hostname, port, path } = destinationOf(target);
    using connection = await Deno.connect({ hostname, port });
    const { remoteAddr: server, localAddr: client } = connection;
    const local = isLocal(
      { address: client.hostname, port: client.port },
      { address: server.hostname, port: server.port },
    );
    return new TargetSubject({ hostname, port, path, address: server.hostname }, local);
  }

  next(): Destination {
    return this.#destination;
  }

  countAtServer(): Promise<null> {
    return Promise.resolve(null);
  }
}

/**
 * The parts of a URL that requests need.
 *
 * @param target an `http:` URL
 * @returns its parts, an IPv6 address without brackets
 */
export function destinationOf(target: string): Omit<Destination, "address"> {
  const { hostname, port, pathname, search } = new URL(target);
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port || "80"), path: pathname + search };
}
