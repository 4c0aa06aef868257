import type { ServerHandle } from "../contract.ts";
import type { LeftSockets } from "./socket_ledger.ts";

/** Where the requests of a round go. */
export interface Destination {
  /** The address, an IPv6 one without brackets. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
  /** The path with its query. */
  readonly path: string;
}

/** A count, or why there is none. */
export type Count = { readonly value: number; readonly reason: null } | {
  readonly value: null;
  readonly reason: string;
};

/** What is known of a round when its connections are gone. */
export interface RoundTraces {
  /** Where its requests went. */
  readonly destination: Destination;
  /** How many it made. */
  readonly requests: number;
  /** Whether a response announced that the server closes. */
  readonly serverCloses: boolean;
  /** What the client's socket table shows of it, or why it shows nothing. */
  readonly left: LeftSockets | string;
}

/** What a run measures: the lab's origin, or a server of the person's own. */
export interface Subject {
  /** Where the next round goes. */
  next(): Destination;
  /** How many connections a round made. */
  countConnections(traces: RoundTraces): Promise<Count>;
  /** Whether both ends of a connection are in this machine's socket table. */
  readonly local: boolean;
}

/** What the origin's `/stats` says of one port. */
interface OriginStats {
  readonly stack: "deno" | "node";
  readonly accepted: number | null;
  readonly clientPorts: number;
}

/** The lab's origin: a fresh listening port for every round, and connections counted at the server. */
export class OriginSubject implements Subject {
  readonly local = true;
  readonly #origin: ServerHandle;
  readonly #path: string;
  readonly #ephemeralPorts: number | null;
  #used = 0;

  /**
   * @param origin the server, with a port for every round
   * @param bodyBytes the size of each response's body
   * @param ephemeralPorts how many ports the system draws clients' ports from; `null` when unknown
   */
  constructor(origin: ServerHandle, bodyBytes: number, ephemeralPorts: number | null) {
    this.#origin = origin;
    this.#path = `/static?bytes=${bodyBytes}`;
    this.#ephemeralPorts = ephemeralPorts;
  }

  next(): Destination {
    const port = this.#origin.ports[this.#used++];
    if (port === undefined) {
      throw new RangeError(`Cannot begin a round as the origin listens on ${this.#used - 1} ports`);
    }
    return { hostname: this.#origin.hostname, port, path: this.#path };
  }

  async countConnections({ destination, requests }: RoundTraces): Promise<Count> {
    const { hostname, port } = this.#origin;
    const response = await fetch(`http://${hostname}:${port}/stats?port=${destination.port}`);
    const { accepted, clientPorts }: OriginStats = await response.json();
    if (accepted !== null) return { value: accepted, reason: null };
    // Deno.serve has no connection events: client ports tell connections apart while none is drawn twice.
    if (this.#ephemeralPorts !== null && requests > this.#ephemeralPorts / 2) {
      const reason =
        `Deno.serve tells connections apart by client port only, and ${requests} requests are more than ` +
        `half of the ${this.#ephemeralPorts} ephemeral ports`;
      return { value: null, reason };
    }
    return { value: clientPorts, reason: null };
  }
}

/** A server of the person's own: what only the lab's server could tell is not known. */
export class TargetSubject implements Subject {
  readonly local: boolean;
  readonly #destination: Destination;

  /**
   * @param target its `http:` URL
   */
  constructor(target: string) {
    this.#destination = destinationOf(target);
    this.local = /^127\.|^::1$|^localhost$/.test(this.#destination.hostname);
  }

  next(): Destination {
    return this.#destination;
  }

  countConnections({ destination, serverCloses, left }: RoundTraces): Promise<Count> {
    return Promise.resolve(countInTable(destination.port, serverCloses && !this.local, left));
  }
}

/** Counts the connections of a round by the client's ports that they left in the socket table. */
function countInTable(serverPort: number, closedElsewhere: boolean, left: LeftSockets | string): Count {
  if (typeof left === "string") return { value: null, reason: left };
  const clients = left.entries.map(({ local, peer }) => peer.port === serverPort ? local.port : peer.port);
  const value = new Set(clients).size;
  if (closedElsewhere) {
    return {
      value: null,
      reason: "The target closes connections first, so that they leave nothing in the client's table",
    };
  }
  if (value === 0) {
    return { value: null, reason: "The connections left nothing in the client's socket table" };
  }
  return { value, reason: null };
}

/**
 * The destination that a URL names.
 *
 * @param target an `http:` URL
 * @returns its parts
 */
export function destinationOf(target: string): Destination {
  const { hostname, port, pathname, search } = new URL(target);
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port || "80"), path: pathname + search };
}
