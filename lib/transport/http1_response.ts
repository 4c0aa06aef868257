import { ChunkedScanner } from "./http1_chunked.ts";
import { HeadScanner } from "./_http1_head.ts";
import { MalformedResponse } from "./malformed_response.ts";
import type { Method } from "./http1_request.ts";

/**
 * How far a response is: more must come (`reading`), it is whole (`done`), it is malformed (`bad`), or the
 * connection ended before it was whole (`cut`).
 */
export type ResponseState = "reading" | "done" | "bad" | "cut";

/** Options of {@linkcode ResponseParser}. */
export interface ResponseParserOptions {
  /**
   * How many bytes the heads of one response, interim ones included, and each of its chunk lines and trailer
   * sections may have.
   *
   * @default {65536}
   */
  readonly maxHeadBytes?: number;
  /** Takes the body piece by piece; a piece is valid during the call only. @default {the body is dropped} */
  readonly onBody?: (piece: Uint8Array) => void;
}

/** What the parser waits for. */
type Framing = "head" | "length" | "chunked" | "close";

/**
 * Reads one HTTP/1.1 response after another from the bytes of a connection, however they are cut, in bounded
 * memory. It knows no sockets: bytes go in, and {@linkcode ResponseParser.state} tells how far it is.
 *
 * Lines must end with CR LF. A response that has both a length and a transfer coding is refused, as is an
 * upgrade (101), which no request here asks for.
 *
 * Source: RFC 9112 §6.3 (length of the body), §7.1 (chunks), §8 (incomplete messages), §9.3 (persistence);
 * RFC 9110 §15.2 (interim responses).
 *
 * @example
 * ```ts
 * import { ResponseParser } from "./http1_response.ts";
 * import { assertEquals } from "@std/assert";
 * const bytes = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP");
 * const parser = new ResponseParser();
 * parser.begin("GET");
 * assertEquals(parser.feed(bytes.subarray(0, 25)), 25);
 * assertEquals(parser.state, "reading");
 * assertEquals(parser.feed(bytes.subarray(25)), bytes.length - 25 - 4);
 * assertEquals([parser.state, parser.status, parser.bodyBytes], ["done", 200, 2]);
 * ```
 */
export class ResponseParser {
  readonly #maxHeadBytes: number;
  readonly #onBody: ((piece: Uint8Array) => void) | undefined;
  readonly #head = new HeadScanner();
  readonly #chunked: ChunkedScanner;
  #method: Method = "GET";
  #state: ResponseState = "reading";
  #framing: Framing = "head";
  #status: number | null = null;
  #persistent = false;
  #bodyBytes = 0;
  #problem: string | null = null;
  /** What is left of the body, where its length is known. */
  #remaining = 0;
  /** How many bytes of head may still come. */
  #headBudget = 0;

  /**
   * Makes a parser for the responses of one connection.
   *
   * @param options limits, and where the body goes
   */
  constructor(options: ResponseParserOptions = {}) {
    this.#maxHeadBytes = options.maxHeadBytes ?? 65_536;
    this.#onBody = options.onBody;
    this.#chunked = new ChunkedScanner(this.#maxHeadBytes, (bytes, from, to) => this.#take(bytes, from, to));
  }

  /** How far the response is. */
  get state(): ResponseState {
    return this.#state;
  }

  /** The status code of the final response; `null` until its head is whole. */
  get status(): number | null {
    return this.#status;
  }

  /** How many bytes of body have come, without the framing of chunks. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /**
   * Whether the server lets the connection be used again after this response: not when it said
   * `Connection: close`, spoke HTTP/1.0 without `keep-alive`, or ends the body with the connection. Known once
   * `status` is.
   */
  get persistent(): boolean {
    return this.#persistent;
  }

  /** Where a malformed response breaks; `null` when it does not. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Begins the next response.
   *
   * @param method the method of the request that it answers: the answer to `HEAD` has no body
   */
  begin(method: Method): void {
    this.#method = method;
    this.#state = "reading";
    this.#framing = "head";
    this.#status = null;
    this.#persistent = false;
    this.#bodyBytes = 0;
    this.#problem = null;
    this.#headBudget = this.#maxHeadBytes;
    this.#head.begin();
  }

  /**
   * Takes bytes of the connection.
   *
   * @param bytes where what has come stands
   * @param size how many bytes have come. @default {all}
   * @returns how many of them belong to this response: what is left over, once it is `done`, was not asked for
   */
  feed(bytes: Uint8Array, size: number = bytes.length): number {
    let at = 0;
    try {
      while (at < size && this.#state === "reading") {
        at = this.#framing === "head" ? this.#feedHead(bytes, at, size) : this.#feedBody(bytes, at, size);
      }
    } catch (error) {
      if (!(error instanceof MalformedResponse)) throw error;
      this.#state = "bad";
      this.#problem = error.message;
    }
    return at;
  }

  /** Takes the end of the connection: it completes a body that has no other end, and cuts any other response. */
  end(): void {
    if (this.#state !== "reading") return;
    this.#state = this.#framing === "close" ? "done" : "cut";
  }

  #feedHead(bytes: Uint8Array, from: number, to: number): number {
    const end = this.#head.scan(bytes, from, Math.min(to, from + this.#headBudget));
    this.#headBudget -= end - from;
    if (this.#head.done) this.#startBody(this.#head);
    else if (this.#headBudget === 0) {
      throw new MalformedResponse(`The head exceeds ${this.#maxHeadBytes} bytes`);
    }
    return end;
  }

  #startBody(head: HeadScanner): void {
    const { status, contentLength, lastCoding } = head;
    if (status === 101) throw new MalformedResponse("The server switches protocols unasked");
    // An interim response: the final one follows.
    if (status >= 100 && status < 200) return head.begin();
    this.#status = status;
    this.#persistent = !head.close && (head.minorVersion > 0 || head.keepAlive);
    if (lastCoding !== null && (contentLength !== null || head.minorVersion === 0)) {
      throw new MalformedResponse("A transfer coding stands beside a content length or in HTTP/1.0");
    }
    if (this.#method === "HEAD" || status === 204 || status === 304) {
      this.#state = "done";
    } else if (lastCoding === "chunked") {
      this.#framing = "chunked";
      this.#chunked.begin();
    } else if (contentLength !== null) {
      this.#framing = "length";
      this.#remaining = contentLength;
      if (contentLength === 0) this.#state = "done";
    } else {
      this.#framing = "close";
      this.#persistent = false;
    }
  }

  #feedBody(bytes: Uint8Array, from: number, to: number): number {
    if (this.#framing === "chunked") {
      const end = this.#chunked.scan(bytes, from, to);
      if (this.#chunked.done) this.#state = "done";
      return end;
    }
    const end = this.#framing === "length" ? Math.min(to, from + this.#remaining) : to;
    this.#take(bytes, from, end);
    this.#remaining -= end - from;
    if (this.#framing === "length" && this.#remaining === 0) this.#state = "done";
    return end;
  }

  /** Where nobody wants the body, no view of it is made either. */
  #take(bytes: Uint8Array, from: number, to: number): void {
    this.#bodyBytes += to - from;
    this.#onBody?.(bytes.subarray(from, to));
  }
}
