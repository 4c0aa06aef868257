import type { ServerHandle } from "../contract.ts";
import { type Endpoint, isLocal } from "./socket_ledger.ts";

/** What a URL without a port means. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

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

/** The connections that a server counted. */
export interface ConnectionCount {
  /** How many connections. */
  readonly connections: number;
  /** By its connection events, or only by the ports that clients came from. */
  readonly by: "events" | "client ports";
}

/** What a server counted. */
export interface ServerCount extends ConnectionCount {
  /** TLS handshakes, full and resumed ones apart; why they were not counted, when that is so. */
  readonly handshakes: Handshakes | string;
  /** The protocols that requests came over, as ALPN names them. */
  readonly protocols: readonly string[];
  /** The connections that are open now; `null` when the server does not tell. */
  readonly active: number | null;
}

/** TLS handshakes that a server counted. */
export interface Handshakes {
  /** Those in which it showed its certificate. */
  readonly full: number;
  /** Those that resumed an earlier session. */
  readonly resumed: number;
  /** The versions of TLS that they agreed on, such as `TLSv1.3`. */
  readonly versions: readonly string[];
}

/** What {@linkcode OriginSubject} is told. */
export interface OriginOptions {
  /** The size of each response's body. */
  readonly bodyBytes: number;
  /** Over TLS: the certificates to trust, as PEM text. @default {plain connections} */
  readonly caCerts?: readonly string[];
}

/** What the origin's `/stats` tells of a port, as far as it is used here. */
interface Stats {
  readonly accepted: number | null;
  readonly active: number | null;
  readonly clientPorts: number;
  readonly handshakes: Handshakes | null;
  readonly protocols: readonly string[];
  readonly reasons: Readonly<Record<string, string>>;
}

/** The lab's origin: a fresh listening port for every round, and connections counted at the server. */
export class OriginSubject implements Subject {
  readonly local = true;
  readonly #origin: ServerHandle;
  readonly #path: string;
  readonly #caCerts: readonly string[] | undefined;
  #used = 0;

  /**
   * @param origin the server, with a port for every round
   * @param options what it answers with, and whom to trust
   */
  constructor(origin: ServerHandle, options: OriginOptions) {
    this.#origin = origin;
    this.#path = `/static?bytes=${options.bodyBytes}`;
    this.#caCerts = options.caCerts;
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
    const { hostname, port: statsPort } = this.#origin;
    const caCerts = this.#caCerts;
    using client = Deno.createHttpClient({ http2: false, ...(caCerts && { caCerts: [...caCerts] }) });
    const scheme = caCerts === undefined ? "http" : "https";
    const response = await fetch(`${scheme}://${hostname}:${statsPort}/stats?port=${port}`, { client });
    if (!response.ok) throw new Error(`The origin refused to tell its counts: ${await response.text()}`);
    const { accepted, active, clientPorts, handshakes, protocols, reasons }: Stats = await response.json();
    return {
      ...(accepted === null
        ? { connections: clientPorts, by: "client ports" }
        : { connections: accepted, by: "events" }),
      handshakes: handshakes ?? reasons.handshakes!,
      protocols,
      active,
    };
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
   * @param target an `http:` or `https:` URL
   * @param options what gives up connecting
   * @returns the subject
   * @throws {Error} nothing takes connections there, or the reason of the signal
   */
  static async find(target: string, options: { readonly signal?: AbortSignal } = {}): Promise<TargetSubject> {
    const { hostname, port, path } = destinationOf(target);
    using connection = await Deno.connect({ hostname, port, ...options });
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
 * @param target an `http:` or `https:` URL
 * @returns its parts, an IPv6 address without brackets
 */
export function destinationOf(target: string): Omit<Destination, "address"> {
  const { protocol, hostname, port, pathname, search } = new URL(target);
  return {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || DEFAULT_PORTS[protocol]!,
    path: pathname + search,
  };
}

/**
 * The right to connect to a URL.
 *
 * @param target an `http:` or `https:` URL
 * @returns host and port, as `--allow-net` takes them
 */
export function netOf(target: string): string {
  const { hostname, port } = destinationOf(target);
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
