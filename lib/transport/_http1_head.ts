import { MalformedResponse } from "./malformed_response.ts";
import { WordMatcher } from "./_word_matcher.ts";

const CR = 13;
const LF = 10;
const TAB = 9;
const SPACE = 32;
const COLON = 58;
const COMMA = 44;
const DIGIT_0 = 48;

/** The most digits with which every number is exact. */
const MAX_LENGTH_DIGITS = 15;

/** How a status line begins. */
const PREFIX = new TextEncoder().encode("HTTP/1.");

/** The bytes of a field name. RFC 9110 §5.6.2. */
const IS_TOKEN = new Uint8Array(256);
for (const byte of new TextEncoder().encode("!#$%&'*+-.^_`|~")) IS_TOKEN[byte] = 1;
for (let byte = 0; byte < 128; byte++) if (/[0-9A-Za-z]/.test(String.fromCharCode(byte))) IS_TOKEN[byte] = 1;

/** The fields that say something about framing. */
type Field = "content-length" | "transfer-encoding" | "connection";

/** What the next byte belongs to. */
type State = "status-line" | "text" | "line-end" | "line-start" | "name" | "value" | "head-end";

/** What the current element of a list holds: nothing yet, one word, a word and white space, more than a word. */
type Element = "empty" | "word" | "ended" | "spoiled";

/**
 * Reads the head of a response byte by byte, so that it may be cut anywhere, and keeps what it says about
 * framing. Lines end with CR LF. A field folded over lines counts as one with white space in it.
 *
 * Source: RFC 9112 §4 (status line), §5 (fields), §6.1 (Transfer-Encoding), §6.3 (Content-Length), §9.3
 * (persistence); RFC 9110 §5.6.1 (lists).
 */
export class HeadScanner {
  /** Whether the empty line that ends the head has come. */
  done = false;
  /** The status code. */
  status = 0;
  /** The minor version of HTTP/1. */
  minorVersion = 0;
  /** The length of the body; `null` when the head gives none. */
  contentLength: number | null = null;
  /** The last transfer coding; `null` when there is none. */
  lastCoding: "chunked" | "other" | null = null;
  /** Whether `Connection` lists `close`. */
  close = false;
  /** Whether `Connection` lists `keep-alive`. */
  keepAlive = false;

  #state: State = "status-line";
  /** How far the status line has come. */
  #position = 0;
  /** Whether a field has begun, which white space at the start of a line continues. */
  #anyField = false;
  /** The field that has begun last, if it matters. */
  #field: Field | null = null;
  #element: Element = "empty";
  #elements = 0;
  #digits = 0;
  #number = 0;
  readonly #names = new WordMatcher<Field>(["content-length", "transfer-encoding", "connection"]);
  readonly #words = new WordMatcher(["chunked", "close", "keep-alive"]);

  /** Begins another head. */
  begin(): void {
    this.done = false;
    this.status = 0;
    this.minorVersion = 0;
    this.contentLength = null;
    this.lastCoding = null;
    this.close = false;
    this.keepAlive = false;
    this.#state = "status-line";
    this.#position = 0;
    this.#anyField = false;
    this.#field = null;
  }

  /**
   * Takes what has come.
   *
   * @param bytes what has come
   * @param from where it begins
   * @param to where to stop
   * @returns the position after what belongs to the head
   * @throws {MalformedResponse} it is no head of a response
   */
  scan(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && !this.done) {
      if (this.#state === "text") at = this.#skipText(bytes, at, to);
      else this.#step(bytes[at++]!);
    }
    return at;
  }

  /** Passes over what is of no interest, a reason phrase or a field's value, to the end of the line. */
  #skipText(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === CR) {
        this.#state = "line-end";
        return at + 1;
      }
      refuseControl(byte);
    }
    return to;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case "status-line":
        return this.#takeStatusLine(byte);
      case "line-end":
        expectLineFeed(byte);
        this.#state = "line-start";
        return;
      case "line-start":
        return this.#startLine(byte);
      case "name":
        return this.#takeName(byte);
      case "value":
        return this.#takeValue(byte);
      case "head-end":
        expectLineFeed(byte);
        this.done = true;
    }
  }

  #takeStatusLine(byte: number): void {
    const position = this.#position++;
    const isDigit = byte >= DIGIT_0 && byte <= DIGIT_0 + 9;
    if (position < PREFIX.length) {
      // Another protocol is told apart at its first bytes, not when the time is up.
      if (byte !== PREFIX[position]) {
        throw new MalformedResponse("The status line does not begin with HTTP/1.");
      }
    } else if (position === PREFIX.length && isDigit) {
      this.minorVersion = byte - DIGIT_0;
    } else if (position > PREFIX.length + 1 && position < PREFIX.length + 5 && isDigit) {
      this.status = this.status * 10 + byte - DIGIT_0;
    } else if (position === PREFIX.length + 5 && (byte === SPACE || byte === CR)) {
      // The reason phrase may be missing, with or without the space before it.
      this.#state = byte === SPACE ? "text" : "line-end";
    } else if (position !== PREFIX.length + 1 || byte !== SPACE) {
      throw new MalformedResponse("The status line is not HTTP/1.x, a space and three digits");
    }
  }

  #startLine(byte: number): void {
    if (this.#anyField && (byte === SPACE || byte === TAB)) {
      this.#state = this.#field === null ? "text" : "value";
      this.#endWord();
      return;
    }
    if (this.#field !== null) this.#endField(this.#field);
    this.#field = null;
    if (byte === CR) {
      this.#state = "head-end";
      return;
    }
    this.#anyField = true;
    this.#state = "name";
    this.#names.begin();
    if (byte === COLON) throw new MalformedResponse("A field has no name");
    this.#takeName(byte);
  }

  #takeName(byte: number): void {
    if (IS_TOKEN[byte] === 1) return this.#names.add(byte);
    if (byte !== COLON) throw new MalformedResponse("A field's name is not followed by a colon");
    this.#field = this.#names.match;
    this.#state = this.#field === null ? "text" : "value";
    this.#element = "empty";
    this.#elements = 0;
  }

  #takeValue(byte: number): void {
    if (byte === CR) this.#state = "line-end";
    else if (byte === COMMA) this.#endElement(this.#field!);
    else if (byte === SPACE || byte === TAB) this.#endWord();
    else this.#addToElement(byte);
  }

  #endWord(): void {
    if (this.#element === "word") this.#element = "ended";
  }

  #addToElement(byte: number): void {
    refuseControl(byte);
    if (this.#element === "empty") {
      this.#element = "word";
      this.#words.begin();
      this.#digits = this.#number = 0;
    } else if (this.#element === "ended") {
      this.#element = "spoiled";
    }
    if (this.#field !== "content-length") return this.#words.add(byte);
    if (byte < DIGIT_0 || byte > DIGIT_0 + 9 || ++this.#digits > MAX_LENGTH_DIGITS) this.#element = "spoiled";
    this.#number = this.#number * 10 + byte - DIGIT_0;
  }

  #endElement(field: Field): void {
    const element = this.#element;
    this.#element = "empty";
    if (element === "empty") return;
    this.#elements++;
    const word = element === "spoiled" ? null : this.#words.match;
    switch (field) {
      case "connection":
        if (word === "close") this.close = true;
        if (word === "keep-alive") this.keepAlive = true;
        return;
      case "transfer-encoding":
        this.lastCoding = word === "chunked" ? "chunked" : "other";
        return;
      case "content-length":
        // Equal lengths may be given more than once: RFC 9112 §6.3.
        if (element === "spoiled" || (this.contentLength ?? this.#number) !== this.#number) throw noLength();
        this.contentLength = this.#number;
    }
  }

  #endField(field: Field): void {
    this.#endElement(field);
    if (this.#elements > 0) return;
    if (field === "content-length") throw noLength();
    if (field === "transfer-encoding") this.lastCoding = "other";
  }
}

function noLength(): MalformedResponse {
  return new MalformedResponse("The content length is not one whole number");
}

function refuseControl(byte: number): void {
  if (byte === LF || byte === 0) throw new MalformedResponse("A line of the head holds NUL or a lone LF");
}

function expectLineFeed(byte: number): void {
  if (byte !== LF) throw new MalformedResponse("A line of the head holds a lone CR");
}
