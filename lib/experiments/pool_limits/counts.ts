/** What a listener of the origin has counted. */
export interface ListenerCounts {
  /** Requests that came. */
  readonly requests: number;
  /** Connections that were accepted; `null` where the stack does not tell. */
  readonly accepted: number | null;
  /** Different client ports from which requests came. */
  readonly clientPorts: number;
  /** The protocols that requests were made over, as ALPN names them. */
  readonly protocols: readonly string[];
}

/** Who may tell how many connections there were. */
export interface Tellers {
  /** The server. */
  readonly counts: Pick<ListenerCounts, "accepted" | "clientPorts">;
  /** The client; `null` when it does not tell. */
  readonly opened: number | null;
  /** The relay between them; `null` when there is none. */
  readonly flows: number | null;
}

/**
 * How many connections there were, from whatever tells it best: the relay that they went through, the server's
 * connection events, the client's own count, the ports that requests came from.
 *
 * @param tellers who may tell
 * @returns the count
 */
export function connectionsOf({ counts, opened, flows }: Tellers): number {
  return flows ?? counts.accepted ?? opened ?? counts.clientPorts;
}
