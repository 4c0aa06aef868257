import { type Connection, connectTcp, encodeRequest, exchange, ResponseParser } from "../../transport/mod.ts";

/** How long a server has for telling its counts, in milliseconds. */
const ANSWER_LIMIT_MS = 5000;
const BUFFER_BYTES = 65_536;

/** Limits as a server of the lab was given them, or as its stack has them; `null` for those that are off. */
export interface Limits {
  /** For the header of a request, in milliseconds. */
  readonly headerTimeoutMs: number | null;
  /** How often it looks for connections over their time, in milliseconds. */
  readonly checkingIntervalMs: number | null;
  /** For a kept connection without a request, in milliseconds. */
  readonly idleTimeoutMs: number | null;
  /** For a whole request, in milliseconds. */
  readonly requestTimeoutMs: number | null;
  /** For a socket without traffic, in milliseconds: a stack's own only. */
  readonly socketTimeoutMs?: number | null;
  /** Connections at once. */
  readonly maxConnections: number | null;
}

/** What a server of the lab tells of itself. */
export interface Stats {
  /** Requests that came. */
  readonly requests: number;
  /** Connections that it accepted; `null` where its stack does not tell. */
  readonly accepted: number | null;
  /** Connections that are open; `null` where its stack does not tell. */
  readonly active: number | null;
  /** Requests that are being answered. */
  readonly inFlight: number;
  /** Connections that it refused for its own limit; `null` where its stack does not tell. */
  readonly refused: number | null;
  /** The largest delay of its event loop in the last second or two, in milliseconds. */
  readonly eventLoopDelayMs: number;
  /** The limits that it was given. */
  readonly brakes: Limits;
  /** Those of its stack where nobody sets any; `null` where it does not expose them. */
  readonly defaults: Limits | null;
  /** Why something is `null`, by its name. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** A server takes no connection that is to ask it for its counts. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/**
 * Asks a server for its counts over one connection, kept from before the load: a server that is at its limits may
 * accept no other.
 */
export class StatsPoll implements Disposable {
  readonly #connection: Connection;
  readonly #request: Uint8Array;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #decoder = new TextDecoder();
  readonly #parser = new ResponseParser({
    onBody: (piece) => void (this.#body += this.#decoder.decode(piece, { stream: true })),
  });
  #body = "";
  /** Why its connection is of no use any more; `null` while it is. */
  #lost: string | null = null;

  private constructor(connection: Connection, request: Uint8Array) {
    this.#connection = connection;
    this.#request = request;
  }

  /**
   * Connects.
   *
   * @param hostname its address
   * @param port the port that tells its counts
   * @returns the poll
   * @throws {UnreachableError} it does not take the connection
   */
  static async open(hostname: string, port: number): Promise<StatsPoll> {
    const request = encodeRequest({ method: "GET", path: "/stats", hostname, port });
    try {
      const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
      return new StatsPoll(await connectTcp({ hostname, port, signal }), request);
    } catch (cause) {
      const asked = `Cannot ask the server at ${hostname}:${port} for its counts`;
      throw new UnreachableError(`${asked} as it takes no connection: look whether it runs`, { cause });
    }
  }

  /**
   * Asks once.
   *
   * @returns what it tells; why it does not
   */
  async read(): Promise<Stats | string> {
    if (this.#lost !== null) return this.#lost;
    this.#body = "";
    let isLate = false;
    // A read that waits ends with its connection only.
    const timer = setTimeout(() => {
      isLate = true;
      this.#connection.close();
    }, ANSWER_LIMIT_MS);
    const request = { method: "GET", bytes: this.#request } as const;
    const tools = { buffer: this.#buffer, parser: this.#parser, now: () => performance.now() };
    const { failure, error, status } = await exchange(this.#connection, request, tools);
    clearTimeout(timer);
    if (isLate) return this.#lost = `It did not tell its counts within ${ANSWER_LIMIT_MS / 1000} s`;
    if (failure !== null) return this.#lost = `It did not tell its counts: ${error}`;
    if (status !== 200) return `It did not tell its counts: it answered ${status}`;
    return JSON.parse(this.#body);
  }

  /** Closes the connection. */
  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
