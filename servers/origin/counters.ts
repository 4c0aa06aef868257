/** What a server stack is: how it serves HTTP. */
export const STACKS = ["deno", "node"] as const;

/** One of {@linkcode STACKS}: `Deno.serve`, or `node:http` under Deno. */
export type Stack = (typeof STACKS)[number];

/** What one listener has counted, as `/stats` gives it. */
export interface Counts {
  /** Requests that came. */
  readonly requests: number;
  /** Connections that were accepted; `null` where the stack does not tell. */
  readonly accepted: number | null;
  /** Connections that are open; `null` where the stack does not tell. */
  readonly active: number | null;
  /** Requests that are being answered: one whose client has left is not. */
  readonly inFlight: number;
  /** Different client ports from which connections or requests came. */
  readonly clientPorts: number;
}

/** Counts what one listener sees. */
export class Counters implements Counts {
  requests = 0;
  inFlight = 0;
  accepted: number | null;
  active: number | null;
  /** The clients in the order in which they came, each with its place from 1. */
  readonly #clients = new Map<string, number>();

  /**
   * @param seesConnections whether the stack tells when a connection begins and ends
   */
  constructor(seesConnections: boolean) {
    this.accepted = this.active = seesConnections ? 0 : null;
  }

  get clientPorts(): number {
    return this.#clients.size;
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
}

/** The sum over several listeners. What one of them does not tell, the sum does not tell. */
export function total(counters: readonly Counts[]): Counts {
  const sum = (count: (counts: Counts) => number | null) =>
    counters.map(count).reduce<number | null>((a, b) => a === null || b === null ? null : a + b, 0);
  return {
    requests: sum(({ requests }) => requests)!,
    accepted: sum(({ accepted }) => accepted),
    active: sum(({ active }) => active),
    inFlight: sum(({ inFlight }) => inFlight)!,
    clientPorts: sum(({ clientPorts }) => clientPorts)!,
  };
}
