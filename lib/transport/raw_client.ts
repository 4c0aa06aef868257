import { type Asked, NOTHING, SequentialClient } from "./_sequential_client.ts";
import { classify, describe } from "./classify.ts";
import type { ClientOptions, Exchange, Target } from "./client.ts";
import type { Connect, Connection } from "./connection.ts";
import { type EncodedRequest, exchange, type ExchangeTools } from "./exchange.ts";
import { encodeRequest } from "./http1_request.ts";
import { ResponseParser } from "./http1_response.ts";
import { TlsHandshakeError } from "./tls.ts";

const BUFFER_BYTES = 65_536;

/** The client that frames HTTP/1.1 itself, over connections of any kind. */
export class RawClient extends SequentialClient {
  override readonly variant: "raw/new" | "raw/shared";
  readonly #connect: Connect;
  readonly #tools: ExchangeTools;
  #asked: Asked | null = null;
  #request: EncodedRequest | null = null;
  #connection: Connection | null = null;
  #opened = 0;
  #abort = new AbortController();

  /**
   * @param variant whether the connection is kept
   * @param target where requests go, as they name it
   * @param connect opens a connection to there
   * @param options path, limit in time, signal, clock
   */
  constructor(variant: "raw/new" | "raw/shared", target: Target, connect: Connect, options: ClientOptions) {
    super(target, options);
    this.variant = variant;
    this.#connect = connect;
    this.#tools = { buffer: new Uint8Array(BUFFER_BYTES), parser: new ResponseParser(), now: this.now };
  }

  override get connections(): number {
    return this.#opened;
  }

  protected override async attempt(asked: Asked): Promise<Exchange> {
    const request = this.#encoded(asked);
    const startMs = this.now();
    let connectMs: number | null = null;
    let tlsMs: number | null = null;
    if (this.#connection === null) {
      try {
        this.#connection = await this.#open();
      } catch (thrown) {
        return this.#unconnected(thrown, startMs);
      }
      ({ connectMs, tlsMs } = this.#connection);
    }
    const connection = this.#connection;
    const answer = await exchange(connection, request, this.#tools);
    const elapsedMs = this.now() - startMs;
    if (this.variant === "raw/new" || !answer.reusable) this.release();
    // Written out and not spread, as this runs for every request within the time that the caller measures.
    const made: Exchange = {
      startMs,
      clientMs: null,
      dnsMs: null,
      connectMs,
      tlsMs,
      sendMs: answer.sendMs,
      waitMs: answer.waitMs,
      receiveMs: answer.receiveMs,
      elapsedMs,
      status: answer.status,
      bodyBytes: answer.bodyBytes,
      localPort: connection.localPort,
      connection: this.#opened,
      protocol: connection.protocol,
      serverCloses: answer.serverCloses,
      failure: answer.failure,
      error: answer.error,
    };
    return answer.failure === null ? made : { ...made, ...this.judge(answer.failure, answer.error) };
  }

  protected override cancel(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#connection?.close();
  }

  protected override release(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  /** An exchange that ended before there was a connection. */
  #unconnected(thrown: unknown, startMs: number): Exchange {
    const elapsedMs = this.now() - startMs;
    const outcome = this.judge(classify(thrown, "connect"), describe(thrown));
    const { connectMs, tlsMs } = thrown instanceof TlsHandshakeError
      ? { connectMs: thrown.connectMs, tlsMs: elapsedMs - thrown.connectMs }
      : { connectMs: elapsedMs, tlsMs: null };
    return { ...NOTHING, ...outcome, startMs, connectMs, tlsMs, elapsedMs };
  }

  async #open(): Promise<Connection> {
    const { signal } = this.#abort;
    const connection = await this.#connect(signal);
    this.#opened++;
    if (!signal.aborted) return connection;
    connection.close();
    throw signal.reason;
  }

  /** The bytes of a request, made once while it stays the same. */
  #encoded(asked: Asked): EncodedRequest {
    if (this.#request === null || this.#asked?.path !== asked.path || this.#asked.method !== asked.method) {
      this.#request = { method: asked.method, bytes: encodeRequest({ ...asked, ...this.target }) };
      this.#asked = asked;
    }
    return this.#request;
  }
}
