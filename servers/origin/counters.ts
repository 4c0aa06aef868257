/** What a server stack is: how it serves HTTP. */
export const STACKS = ["deno", "node"] as const;

/** One of {@linkcode STACKS}: `Deno.serve`, or `node:http` under Deno. */
export type Stack = (typeof STACKS)[number];

/** TLS handshakes that were completed. */
export interface Handshakes {
  /** Those in which the server showed its certificate. */
  readonly full: number;
  /** Those that resumed a session. */
  readonly resumed: number;
  /** The versions of TLS that they agreed on, such as `TLSv1.3`, in the order in which they were first used. */
  readonly versions: readonly string[];
}

/** What one listener has counted, as `/stats` gives it. */
export interface Counts {
  /** Requests that came. */
  readonly requests: number;
  /** Connections that were accepted, over TLS those whose handshake was completed; `null` where the stack does not tell. */
  readonly accepted: number | null;
  /** Connections that are open; `null` where the stack does not tell. */
  readonly active: number | null;
  /** Connections that were refused as there were enough; `null` where the stack does not tell. */
  readonly refused: number | null;
  /** Requests that are being answered: one whose client has left is not. */
  readonly inFlight: number;
  /** Different client ports from which connections or requests came. */
  readonly clientPorts: number;
  /** TLS handshakes; `null` where there are none, or the stack does not tell. */
  readonly handshakes: Handshakes | null;
  /** The protocols of the requests, as ALPN names them, in the order in which they were first used. */
  readonly protocols: readonly string[];
}

/** What a listener gets to know beside its requests. */
export interface Sight {
  /** When connections begin and end. */
  readonly connections: boolean;
  /** How TLS handshakes went. */
  readonly handshakes: boolean;
}

const NO_HANDSHAKES: Handshakes = { full: 0, resumed: 0, versions: [] };

/** Counts what one listener sees. */
export class Counters implements Counts {
  inFlight = 0;
  accepted: number | null;
  active: number | null;
  refused: number | null;
  handshakes: Handshakes | null;
  #requests = 0;
  /** The clients in the order in which they came, each with its place from 1. */
  readonly #clients = new Map<string, number>();
  readonly #protocols = new Set<string>();

  /**
   * @param sees what the listener gets to know
   */
  constructor(sees: Sight) {
    this.accepted = this.active = this.refused = sees.connections ? 0 : null;
    this.handshakes = sees.handshakes ? NO_HANDSHAKES : null;
  }

  get requests(): number {
    return this.#requests;
  }

  get clientPorts(): number {
    return this.#clients.size;
  }

  get protocols(): readonly string[] {
    return [...this.#protocols];
  }

  /** Counts a request. */
  take(protocol: string): void {
    this.#requests++;
    this.#protocols.add(protocol);
  }

  /**
   * Notes a client's port.
   *
   * @returns its place among those of this listener, from 1
   */
  meet(hostname: string, port: number): number {
    const client = `${hostname} ${port}`;
    const known = this.#clients.get(client);
    if (known !== undefined) return known;
    this.#clients.set(client, this.#clients.size + 1);
    return this.#clients.size;
  }

  /** Counts a connection that begins. @returns its place among those of this listener, from 1 */
  connect(): number {
    this.active = (this.active ?? 0) + 1;
    return this.accepted = (this.accepted ?? 0) + 1;
  }

  /** Counts a connection that ends. */
  disconnect(): void {
    this.active = (this.active ?? 0) - 1;
  }

  /** Counts a connection that is refused. */
  refuse(): void {
    this.refused = (this.refused ?? 0) + 1;
  }

  /** Counts a TLS handshake. */
  shakeHands(resumed: boolean, version: string | null): void {
    this.handshakes = bothOf(this.handshakes ?? NO_HANDSHAKES, {
      full: resumed ? 0 : 1,
      resumed: resumed ? 1 : 0,
      versions: version === null ? [] : [version],
    });
  }
}

function bothOf(some: Handshakes, more: Handshakes): Handshakes {
  return {
    full: some.full + more.full,
    resumed: some.resumed + more.resumed,
    versions: [...new Set([...some.versions, ...more.versions])],
  };
}

/** The sum over several listeners. What one of them does not tell, the sum does not tell. */
export function total(counters: readonly Counts[]): Counts {
  const sum = (count: (counts: Counts) => number | null) =>
    counters.map(count).reduce<number | null>((a, b) => a === null || b === null ? null : a + b, 0);
  return {
    requests: sum(({ requests }) => requests)!,
    accepted: sum(({ accepted }) => accepted),
    active: sum(({ active }) => active),
    refused: sum(({ refused }) => refused),
    inFlight: sum(({ inFlight }) => inFlight)!,
    clientPorts: sum(({ clientPorts }) => clientPorts)!,
    handshakes: counters.map(({ handshakes }) => handshakes).reduce(
      (a, b) => a && b && bothOf(a, b),
      NO_HANDSHAKES,
    ),
    protocols: [...new Set(counters.flatMap(({ protocols }) => protocols))],
  };
}
