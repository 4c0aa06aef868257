import { ByteStream } from "./byte_stream.ts";
import type { Deadlines, Timed } from "./deadlines.ts";
import { type ClientSide, Exchange, type ExchangeTools, type Outcome } from "./exchange.ts";
import { HEAD_BYTES } from "./framing.ts";
import { MalformedHead, parseRequestHead, type RequestHead } from "./head.ts";
import { HeadEncoder } from "./head_encoder.ts";
import { persistenceField } from "./own_fields.ts";
import { STATUS_TEXT } from "./status_text.ts";
import type { Tally } from "./tally.ts";

/** How long and how much a client that was answered early may still send, so that the answer is not lost in a reset. */
const LINGER = { ms: 1000, bytes: 1024 * 1024 } as const;

/** What a {@linkcode Conversation} works with. */
export interface ConversationTools extends ExchangeTools {
  /** What ends it when it takes too long. */
  readonly deadlines: Deadlines;
  /** What it counts. */
  readonly tally: Tally;
  /** How long the client may be silent between requests, or take for a head, in milliseconds. */
  readonly clientTimeoutMs: number;
  /** What `/__stats` tells. */
  readonly stats: () => unknown;
}

/** One client's connection: its requests in order, each answered before the next is read. */
export class Conversation implements Timed {
  deadlineMs = Infinity;
  readonly #encoder = new HeadEncoder();
  readonly #client: Deno.TcpConn;
  readonly #tools: ConversationTools;
  readonly #stream: ByteStream;
  #side: ClientSide;
  #exchange: Exchange | null = null;
  /** Whether the client's next head is waited for, or what has come of it. */
  #expectsHead = false;
  #closed = false;

  /**
   * @param client its connection
   * @param tools what it works with
   */
  constructor(client: Deno.TcpConn, tools: ConversationTools) {
    this.#client = client;
    this.#tools = tools;
    this.#stream = new ByteStream(client, HEAD_BYTES);
    this.#side = {
      client: this.#stream,
      backend: new ByteStream(client, HEAD_BYTES),
      encoder: this.#encoder,
      controller: new AbortController(),
      write: this.#write,
      allow: this.#allow,
    };
  }

  /** Answers request after request, until the connection is to end. */
  async run(): Promise<void> {
    const { deadlines, tally } = this.#tools;
    tally.accepted++;
    tally.active++;
    deadlines.add(this);
    try {
      this.#client.setNoDelay(true);
      while (await this.#turn());
    } catch {
      // The client has left, or is cut off.
    } finally {
      deadlines.delete(this);
      tally.active--;
      this.#close();
    }
  }

  expire(): void {
    this.deadlineMs = Infinity;
    if (this.#exchange !== null) {
      if (this.#exchange.expire()) this.#close();
    } else if (this.#expectsHead && this.#stream.hasBytes) this.#refuseLate();
    else this.#close();
  }

  /** Says to a client that has begun a head why its connection ends. All that it has sent is read: nothing is reset. */
  async #refuseLate(): Promise<void> {
    this.#expectsHead = false;
    this.#tools.tally.refused++;
    try {
      await this.#answer(408, "The head took too long\n", { closing: true, lingers: false });
    } catch {
      // It has left.
    } finally {
      this.#close();
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#client.close();
  }

  /** One request and its answer. @returns whether another may follow */
  async #turn(): Promise<boolean> {
    const { tally, clientTimeoutMs } = this.#tools;
    this.#allow(clientTimeoutMs);
    let head: RequestHead;
    this.#expectsHead = true;
    try {
      const text = await this.#stream.head();
      if (text === null || !this.#expectsHead) return false;
      head = parseRequestHead(text);
    } catch (error) {
      if (!(error instanceof MalformedHead) || !this.#expectsHead) throw error;
      this.#expectsHead = false;
      tally.refused++;
      await this.#answer(error.status, `${error.message}\n`, { closing: true });
      return false;
    }
    this.#expectsHead = false;
    if (head.target === STATS_PATH) return await this.#tellStats(head);
    tally.requests++;
    tally.inFlight++;
    const outcome = await this.#pass(head);
    tally.inFlight--;
    return await this.#conclude(head, outcome);
  }

  async #pass(head: RequestHead): Promise<Outcome> {
    if (this.#side.controller.signal.aborted) {
      this.#side = { ...this.#side, controller: new AbortController() };
    }
    this.#exchange = new Exchange(head, this.#tools, this.#side);
    const outcome = await this.#exchange.run();
    this.#exchange = null;
    return outcome;
  }

  /** Counts what became of a request, and tells the client where it has not seen. @returns whether another may follow */
  async #conclude(head: RequestHead, outcome: Outcome): Promise<boolean> {
    const { tally } = this.#tools;
    if (outcome.kind === "left") {
      tally.left++;
      return false;
    }
    const { persistent, early } = outcome;
    const answer = { head, closing: !persistent };
    if (outcome.kind === "failed") {
      const { status, failure: { phase, kind, side } } = outcome;
      tally.fail(outcome.failure);
      if (status === null) return false;
      await this.#answer(status, `${kind} in phase ${phase}, side ${side}\n`, answer);
    } else if (outcome.kind === "malformed") {
      tally.refused++;
      await this.#answer(400, "The body is malformed\n", answer);
    } else tally.passed++;
    if (early) await this.#linger();
    return persistent;
  }

  async #tellStats(head: RequestHead): Promise<boolean> {
    const early = head.framing.kind !== "none";
    const closing = !head.persistent || early;
    const body = `${JSON.stringify(this.#tools.stats())}\n`;
    await this.#answer(200, body, { head, closing, type: "application/json" });
    if (early) await this.#linger();
    return !closing;
  }

  /** Answers for itself. */
  async #answer(status: number, body: string, options: AnswerOptions): Promise<void> {
    const { closing, head, lingers = head === undefined, type = "text/plain; charset=utf-8" } = options;
    const bytes = encoder.encode(body);
    const fields = [
      `content-type: ${type}\r\n`,
      `content-length: ${bytes.length}\r\n`,
      persistenceField(head ?? { chunks: true }, !closing),
    ];
    const start = this.#encoder.encode(`HTTP/1.1 ${status} ${STATUS_TEXT[status] ?? ""}`, fields.join(""));
    this.#allow(this.#tools.clientTimeoutMs);
    const whole = head?.method === "HEAD" ? start : this.#encoder.join(bytes);
    if (whole === null) throw new RangeError("Cannot answer as the answer is too long");
    await this.#write(whole);
    if (lingers) await this.#linger();
  }

  readonly #allow = (ms: number): void => {
    this.deadlineMs = this.#tools.deadlines.in(ms);
  };

  readonly #write = async (bytes: Uint8Array): Promise<void> => {
    let written = await this.#client.write(bytes);
    while (written < bytes.length) written += await this.#client.write(bytes.subarray(written));
  };

  /**
   * Says the end, and takes what the client still sends: closing with bytes that nobody read would reset the connection,
   * and the answer with it. Source: RFC 9112 §9.6.
   */
  async #linger(): Promise<void> {
    this.#allow(LINGER.ms);
    await this.#client.closeWrite();
    for (let bytes = 0; bytes < LINGER.bytes;) {
      const size = this.#stream.bytes.length;
      bytes += size;
      this.#stream.take(size);
      if (!await this.#stream.fill()) return;
    }
  }
}

/** How the proxy answers for itself. */
interface AnswerOptions {
  /** Whether the connection ends with it. */
  readonly closing: boolean;
  /** The request, where its head could be read. */
  readonly head?: RequestHead;
  /** Whether what the client still sends is taken before the end. @default {where the head could not be read} */
  readonly lingers?: boolean;
  /** The media type. @default {text} */
  readonly type?: string;
}

const encoder = new TextEncoder();

const STATS_PATH = "/__stats";
