import type { Socket } from "node:net";
import type { Log, LoggedConnection, LoggedRequest } from "./log.ts";
import { readRequests } from "./requests.ts";

/** What every answer says. */
const BODY = "faulty\n";

/** Options of {@linkcode Peer.answer}. */
export interface AnswerOptions {
  /** Further fields of the head, each with its line end. @default {""} */
  readonly fields?: string;
  /** Whether head and body are written apart. @default {false} */
  readonly apart?: boolean;
}

/** The server's side of one connection, which notes what happens on it. */
export class Peer {
  readonly #socket: Socket;
  readonly #log: Log;
  readonly #entry: LoggedConnection;

  /**
   * @param socket the connection, not read yet
   * @param log where it is noted
   */
  constructor(socket: Socket, log: Log) {
    this.#socket = socket;
    this.#log = log;
    this.#entry = log.accept(socket.remotePort ?? 0);
    // Only where the behaviour wants it is anything held back.
    socket.setNoDelay(true);
    socket.on("error", () => log.end(this.#entry, "client", "reset"));
    socket.on("end", () => log.end(this.#entry, "client", "fin"));
  }

  /** The requests, each when it has come whole, until either side ends the connection. */
  async *requests(): AsyncGenerator<LoggedRequest> {
    const pieces: AsyncIterable<Uint8Array> = this.#socket.iterator({ destroyOnReturn: false });
    for await (const request of readRequests(pieces)) yield this.#log.receive(this.#entry, request);
  }

  /** Whether something may still be said. */
  get open(): boolean {
    return this.#socket.writable;
  }

  /** Has small pieces wait for the acknowledgement of what went before: Nagle's algorithm, RFC 896. */
  holdBack(): void {
    this.#socket.setNoDelay(false);
  }

  /**
   * Sends text.
   *
   * @param text what is said
   * @returns settles when the system has taken it, or never will
   */
  say(text: string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(text, () => resolve()));
  }

  /**
   * Answers a request with a small body.
   *
   * @param request the request
   * @param options what is unusual about it
   */
  async answer(request: LoggedRequest, options: AnswerOptions = {}): Promise<void> {
    const { fields = "", apart = false } = options;
    const [head, body] = [headOf(fields), bodyOf(request)];
    if (apart) await this.say(head);
    await this.say(apart ? body : head + body);
    if (this.open) this.#log.answer(request);
  }

  /**
   * Ends the connection. Doing so once more does nothing.
   *
   * @param how with a FIN after what was said, or with a reset at once
   */
  end(how: "fin" | "reset"): void {
    this.#log.end(this.#entry, "server", how);
    if (how === "fin") this.#socket.destroySoon();
    else this.#socket.resetAndDestroy();
  }
}

/**
 * The head of an answer.
 *
 * @param fields further fields, each with its line end
 * @returns the head with the empty line that ends it
 */
export function headOf(fields = ""): string {
  return `HTTP/1.1 200 OK\r\n${fields}content-type: text/plain\r\ncontent-length: ${BODY.length}\r\n\r\n`;
}

/**
 * The body of an answer.
 *
 * @param request the request
 * @returns the body; none for `HEAD`
 */
export function bodyOf({ method }: { readonly method: string }): string {
  return method === "HEAD" ? "" : BODY;
}
