import { BoundedList } from "../_shared/bounded_list.ts";
import type { ReceivedRequest } from "./requests.ts";

/**
 * What a faulty server did with a request; `null` while it has done nothing. An answer was given when the system
 * has taken it.
 */
export type Deed = "answered" | "answering" | "ended" | "reset" | "ignored" | null;

/** A connection that a faulty server accepted. Times are milliseconds since the server began. */
export interface LoggedConnection {
  /** Its place among all, from 1. */
  readonly connection: number;
  /** The client's port. */
  readonly clientPort: number;
  /** When it was accepted. */
  readonly atMs: number;
  /** Requests that came over it. */
  requests: number;
  /** When its end was seen or made; `null` while it is open. */
  endedMs: number | null;
  /** Who ended it first; `null` while it is open. */
  endedBy: "client" | "server" | null;
  /** How; `null` while it is open. */
  how: "fin" | "reset" | null;
}

/** A request that a faulty server received. */
export interface LoggedRequest extends ReceivedRequest {
  /** The connection that it came over. */
  readonly connection: number;
  /** The client's port. */
  readonly clientPort: number;
  /** When it had come, in milliseconds since the server began. */
  readonly atMs: number;
  /** What the server did with it. */
  did: Deed;
}

/** What `/stats` gives. */
export interface FaultyStats {
  /** Connections that were accepted. */
  readonly accepted: number;
  /** Connections that are open. */
  readonly active: number;
  /** Requests that came. */
  readonly requests: number;
  /** Requests that were answered to the end. */
  readonly answered: number;
}

/** How many connections, and requests, are listed: the newest. */
const MAX_LISTED = 10_000;

/** What a faulty server has seen, in order. */
export class Log {
  readonly #now: () => number;
  readonly #connections = new BoundedList<LoggedConnection>(MAX_LISTED);
  readonly #requests = new BoundedList<LoggedRequest>(MAX_LISTED);
  #accepted = 0;
  #active = 0;
  #received = 0;
  #answered = 0;

  /**
   * @param now the monotonic clock, in milliseconds since the server began
   */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The counts. */
  get stats(): FaultyStats {
    return {
      accepted: this.#accepted,
      active: this.#active,
      requests: this.#received,
      answered: this.#answered,
    };
  }

  /** What `/log` gives: how many older connections and requests are no longer listed, too. */
  get listed(): {
    readonly connections: readonly LoggedConnection[];
    readonly requests: readonly LoggedRequest[];
    readonly dropped: { readonly connections: number; readonly requests: number };
  } {
    return {
      connections: this.#connections.items,
      requests: this.#requests.items,
      dropped: { connections: this.#connections.dropped, requests: this.#requests.dropped },
    };
  }

  /**
   * Notes a connection.
   *
   * @param clientPort the client's port
   * @returns its entry
   */
  accept(clientPort: number): LoggedConnection {
    this.#active++;
    const entry: LoggedConnection = {
      connection: ++this.#accepted,
      clientPort,
      atMs: this.#now(),
      requests: 0,
      endedMs: null,
      endedBy: null,
      how: null,
    };
    this.#connections.add(entry);
    return entry;
  }

  /**
   * Notes a request.
   *
   * @param on the connection that it came over
   * @param request what was asked
   * @returns its entry
   */
  receive(on: LoggedConnection, request: ReceivedRequest): LoggedRequest {
    on.requests++;
    this.#received++;
    const { connection, clientPort } = on;
    const entry: LoggedRequest = { connection, clientPort, ...request, atMs: this.#now(), did: null };
    this.#requests.add(entry);
    return entry;
  }

  /**
   * Notes that a request was answered to the end.
   *
   * @param request its entry
   */
  answer(request: LoggedRequest): void {
    request.did = "answered";
    this.#answered++;
  }

  /**
   * Notes the end of a connection. Only the first counts.
   *
   * @param connection its entry
   * @param endedBy who ended it
   * @param how how
   */
  end(connection: LoggedConnection, endedBy: "client" | "server", how: "fin" | "reset"): void {
    if (connection.endedMs !== null) return;
    this.#active--;
    Object.assign(connection, { endedMs: this.#now(), endedBy, how });
  }
}
