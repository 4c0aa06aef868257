import { type Failure, failure } from "../../record/mod.ts";
import { pause } from "../../system/mod.ts";
import {
  classify,
  type Connect,
  describe,
  type EncodedRequest,
  exchange,
  ResponseParser,
} from "../../transport/mod.ts";
import { advertisedIdleMs } from "./advertised_idle.ts";
import { type Closing, WatchedConnection } from "./watched_connection.ts";

const BUFFER_BYTES = 65_536;

/** What is visited. */
export interface Visited {
  /** Opens a connection to it. */
  readonly connect: Connect;
  /** The one request that a connection carries. */
  readonly request: EncodedRequest;
}

/** How the one request of a connection went, or that there was no connection to make it on. */
export interface Asked {
  /** Time from the request to the last byte of the answer, in milliseconds; `null` without a whole answer. */
  readonly answerMs: number | null;
  /** The status code; `null` without an answer. */
  readonly status: number | null;
  /** The idle limit that the answer advertises, in milliseconds; `null` when it advertises none. */
  readonly advertisedMs: number | null;
  /** Whether the answer says that the server closes; `null` without an answer. */
  readonly announcedClose: boolean | null;
  /** What went wrong; `null` when nothing did. */
  readonly failure: Failure | null;
  /** What was said of it; `null` when nothing went wrong. */
  readonly error: string | null;
}

/** What happened to a connection while it was idle. */
export interface Idleness {
  /** How long it was idle, in milliseconds. */
  readonly idleMs: number;
  /** How the server ended it; `null` when it did not. */
  readonly closing: Closing | null;
}

/** How {@linkcode Visitor.idle} waits. */
export interface IdleOptions {
  /** How long at most, in milliseconds. */
  readonly limitMs: number;
  /** When the idleness began, on the visitor's clock. */
  readonly sinceMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

const UNANSWERED = { answerMs: null, status: null, advertisedMs: null, announcedClose: null };

/** Finds out how a server treats idle connections: connects, asks once, and is idle. What fails is a value. */
export class Visitor {
  readonly #visited: Visited;
  readonly #now: () => number;
  readonly #signal: AbortSignal;

  /**
   * @param visited the server
   * @param now the monotonic clock, in milliseconds
   * @param signal ends whatever is under way
   */
  constructor(visited: Visited, now: () => number, signal: AbortSignal) {
    this.#visited = visited;
    this.#now = now;
    this.#signal = signal;
  }

  /**
   * Opens a connection.
   *
   * @param limitMs how long it may take, in milliseconds
   * @returns the connection, or how it failed
   */
  async connect(limitMs: number): Promise<WatchedConnection | Asked> {
    const late = AbortSignal.timeout(Math.ceil(limitMs));
    try {
      return new WatchedConnection(await this.#visited.connect(AbortSignal.any([this.#signal, late])));
    } catch (error) {
      const known = classify(error, "connect");
      const failed = late.aborted ? failure(known.phase, "timed-out") : known;
      const missing = known.phase === "tls" ? "No end of the TLS handshake" : "No connection";
      const words = late.aborted ? `${missing} within ${Math.round(limitMs)} ms` : describe(error);
      return { ...UNANSWERED, failure: failed, error: words };
    }
  }

  /**
   * Makes the one request of a connection.
   *
   * @param connection the connection; it is of no further use where the request failed
   * @param limitMs how long the whole answer may take, in milliseconds
   * @returns how it went
   */
  async ask(connection: WatchedConnection, limitMs: number): Promise<Asked> {
    let isLate = false;
    const end = () => connection.close();
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, limitMs);
    this.#signal.addEventListener("abort", end);
    const startMs = this.#now();
    const tools = { buffer: new Uint8Array(BUFFER_BYTES), parser: new ResponseParser(), now: this.#now };
    const answer = await exchange(connection, this.#visited.request, tools);
    clearTimeout(timer);
    this.#signal.removeEventListener("abort", end);
    const advertisedMs = advertisedIdleMs(connection.received);
    const { status, serverCloses: announcedClose } = answer;
    const known = { status, advertisedMs, announcedClose };
    if (answer.failure === null) {
      return { ...known, answerMs: this.#now() - startMs, failure: null, error: null };
    }
    const failed = isLate ? failure(answer.failure.phase, "timed-out") : answer.failure;
    const words = isLate ? `No whole answer within ${Math.round(limitMs)} ms` : answer.error;
    return { ...known, answerMs: null, failure: failed, error: words };
  }

  /**
   * Leaves a connection idle.
   *
   * @param connection the connection
   * @param options for how long
   * @returns how long it was idle, and how the server ended that
   */
  async idle(connection: WatchedConnection, options: IdleOptions): Promise<Idleness> {
    const { limitMs, sinceMs, signal } = options;
    const over = new AbortController();
    const closing = await Promise.race([
      connection.closing(),
      pause(limitMs, AbortSignal.any([signal, over.signal])).then(() => null),
    ]);
    over.abort();
    return { closing, idleMs: this.#now() - sinceMs };
  }
}
