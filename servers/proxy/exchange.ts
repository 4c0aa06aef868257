import { type Failure, failure, type Phase } from "../../lib/record/mod.ts";
import { AcquireError, classify, type Lease, MalformedResponse } from "../../lib/transport/mod.ts";
import type { Backends } from "./backends.ts";
import { passBody, type Write } from "./body.ts";
import { type ByteStream, TruncatedError } from "./byte_stream.ts";
import { MalformedHead, parseResponseHead, type RequestHead, type ResponseHead } from "./head.ts";
import type { HeadEncoder } from "./head_encoder.ts";
import { framingField, lengthFields, persistenceField, VIA } from "./own_fields.ts";
import type { Tally } from "./tally.ts";

/** What an {@linkcode Exchange} works with. */
export interface ExchangeTools {
  /** The servers behind the proxy. */
  readonly backends: Backends;
  /** What it counts. */
  readonly tally: Pick<Tally, "meetStale">;
  /** Whether a request is sent once more when a kept connection is dead. */
  readonly retryStale: boolean;
  /** How long a connection to a backend may take, the wait for a free one included, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** How long a backend may take for the head of an answer, and then send nothing, in milliseconds. */
  readonly responseTimeoutMs: number;
}

/** Its client's side, and what is kept from one exchange to the next. */
export interface ClientSide {
  /** What the client sends. */
  readonly client: ByteStream;
  /** What the backend sends; attached to a connection here. */
  readonly backend: ByteStream;
  /** Encodes heads. */
  readonly encoder: HeadEncoder;
  /** Gives up waiting for a connection. */
  readonly controller: AbortController;
  /** Sends to the client. */
  readonly write: Write;
  /** Has {@linkcode Exchange.expire} called after that time, in milliseconds. */
  readonly allow: (ms: number) => void;
}

/**
 * Why an exchange is given up: its client has left, sends a body that must not be passed on, or is too slow, or the
 * backend takes too long.
 */
export type Departure = "left" | "malformed" | "slow" | "late";

/** What became of an exchange. */
export type Outcome =
  | { readonly kind: "left" }
  | {
    readonly kind: "passed" | "malformed";
    /** Whether the client's connection may carry another request. */
    readonly persistent: boolean;
    /** Whether the client may still be sending its request. */
    readonly early: boolean;
  }
  | {
    readonly kind: "failed";
    readonly failure: Failure;
    /** What the client is answered; `null` where a part of an answer has gone to it: it sees the truncation. */
    readonly status: number | null;
    /** See `passed`. */
    readonly persistent: boolean;
    /** See `passed`. */
    readonly early: boolean;
  };

/** What may be sent twice unasked, as the second time changes nothing more: RFC 9110 §9.2.2. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/** How many interim responses (1xx) may precede an answer. */
const MAX_INTERIM = 32;

/** One request passed on to a backend, and its answer passed back. */
export class Exchange {
  readonly #head: RequestHead;
  readonly #tools: ExchangeTools;
  readonly #side: ClientSide;
  /** `null` while a connection is waited for. */
  #lease: Lease | null = null;
  #departure: Departure | null = null;
  #phase: Phase = "connect";
  /** Who is to do something: the client sends its request or takes its answer, the backend does the rest. */
  #awaited: "backend" | "client" = "backend";
  /** Whether all is said: what still goes on then has no say. */
  #over = false;
  /** Whether something is being written to the client. */
  #telling = false;
  /** Whether a byte of the backend's answer has gone to the client. */
  #begun = false;
  /** Whether the whole request has been taken from the client. */
  #taken: boolean;

  /**
   * @param head the request
   * @param tools backends and limits
   * @param side the client's side
   */
  constructor(head: RequestHead, tools: ExchangeTools, side: ClientSide) {
    this.#head = head;
    this.#tools = tools;
    this.#side = side;
    this.#taken = head.framing.kind === "none";
  }

  /** Gives up: the request to the backend is cancelled by closing its connection. */
  cancel(departure: Departure): void {
    if (this.#over) return;
    this.#departure ??= departure;
    if (this.#lease !== null) this.#lease.release(false);
    else this.#side.controller.abort(new DOMException("The exchange is given up", "AbortError"));
  }

  /**
   * Gives up as somebody takes too long.
   *
   * @returns whether it is the client that takes nothing: nothing can be told to it
   */
  expire(): boolean {
    this.cancel(this.#awaited === "client" ? "slow" : "late");
    return this.#telling;
  }

  /** Passes the request on and its answer back. */
  async run(): Promise<Outcome> {
    try {
      if (this.#taken) this.#watchClient();
      return await this.#passAnswer(await this.#ask());
    } catch (error) {
      return this.#failed(error);
    } finally {
      this.#over = true;
      // What has not been given back by now cannot carry another request.
      this.#lease?.release(false);
    }
  }

  /** What comes while the client waits is its end, or its next requests. */
  #watchClient(): void {
    this.#side.client.watch(() => this.#over, () => this.cancel("left"));
  }

  #await(whom: "backend" | "client", ms = this.#tools.responseTimeoutMs): void {
    if (this.#over) return;
    this.#awaited = whom;
    this.#side.allow(ms);
  }

  /** Sends the request, once more if a kept connection is dead, and reads the head of its answer. */
  async #ask(): Promise<ResponseHead> {
    const { backends, connectTimeoutMs, tally } = this.#tools;
    const { signal } = this.#side.controller;
    this.#await("backend", connectTimeoutMs);
    let lease = this.#lease = await backends.acquire(signal);
    for (;;) {
      try {
        return await this.#askOver(lease);
      } catch (error) {
        if (!this.#isStale(lease)) throw error;
        tally.meetStale(this.#phase === "send" ? "write" : "read", this.#mayRepeat);
        if (!this.#mayRepeat) throw error;
        this.#phase = "connect";
        this.#await("backend", connectTimeoutMs);
        this.#lease = null;
        lease = this.#lease = await lease.replace({ signal });
      }
    }
  }

  async #askOver(lease: Lease): Promise<ResponseHead> {
    const { backend } = this.#side;
    if (this.#departure !== null) throw new TruncatedError("The exchange was given up");
    backend.attach(lease.connection);
    this.#phase = "send";
    this.#await("backend");
    await lease.connection.writeAll(this.#requestHead());
    this.#phase = "wait";
    if (!this.#taken) this.#passRequestBody(lease);
    for (let interim = 0;; interim++) {
      if (interim > MAX_INTERIM) throw new MalformedHead("Interim responses do not end");
      const text = await backend.head();
      if (text === null) throw new TruncatedError("The connection ended before an answer");
      const head = parseResponseHead(text, this.#head.method);
      if (head.status === 101) throw new MalformedHead("The backend switches protocols unasked");
      if (head.status >= 200) return head;
      if (this.#head.chunks) await this.#toClient(this.#responseHead(head, ""));
    }
  }

  /** A kept connection that fails before a byte of an answer had most likely ended while it was idle: RFC 9112 §9.5. */
  #isStale(lease: Lease): boolean {
    return lease.reused && !this.#side.backend.hasRead && this.#departure === null;
  }

  get #mayRepeat(): boolean {
    const { method, framing } = this.#head;
    return this.#tools.retryStale && IDEMPOTENT.has(method) && framing.kind === "none";
  }

  #requestHead(): Uint8Array {
    const { method, target, fields, framing } = this.#head;
    return this.#side.encoder.encode(`${method} ${target} HTTP/1.1`, fields + framingField(framing) + VIA);
  }

  #responseHead({ status, reason, fields }: ResponseHead, further: string): Uint8Array {
    return this.#side.encoder.encode(`HTTP/1.1 ${status} ${reason}`, fields + further);
  }

  /** Goes on beside the answer, which may come before the request is whole. */
  async #passRequestBody(lease: Lease): Promise<void> {
    const { client } = this.#side;
    const { framing } = this.#head;
    const write: Write = async (bytes) => {
      this.#await("backend");
      try {
        await lease.connection.writeAll(bytes);
      } catch {
        throw new DeafError("The backend takes no more of the request");
      }
      this.#await("client");
    };
    this.#await("client");
    try {
      await passBody(client, framing, write);
    } catch (error) {
      // What a backend that takes no more has answered, or how it ended, is read.
      if (error instanceof DeafError) return;
      // It must not take for whole what is not: its connection is closed.
      return this.cancel(error instanceof MalformedResponse ? "malformed" : "left");
    }
    this.#taken = true;
    this.#await("backend");
    this.#watchClient();
  }

  async #passAnswer(head: ResponseHead): Promise<Outcome> {
    const { backend } = this.#side;
    const { framing } = head;
    const chunked = framing.kind === "chunked" || framing.kind === "close";
    if (chunked && !this.#head.chunks) {
      throw new MalformedHead(
        "The answer has no length, and HTTP/1.0 no other end that tells it from a truncation",
      );
    }
    this.#phase = "receive";
    const early = !this.#taken;
    const persistent = this.#head.persistent && !early;
    const persistence = persistenceField(this.#head, persistent);
    const bytes = this.#responseHead(head, lengthFields(head, chunked) + persistence);
    if (backend.hasBytes && hasBody(head)) await passBody(backend, framing, this.#behind(bytes));
    else {
      await this.#toClient(bytes);
      await passBody(backend, framing, this.#toClient);
    }
    const reusable = head.persistent && !early && !backend.hasBytes && this.#departure === null;
    this.#tools.backends.release(this.#lease!, reusable);
    return { kind: "passed", persistent, early };
  }

  readonly #toClient: Write = async (bytes) => {
    this.#begun = this.#phase === "receive";
    this.#telling = true;
    this.#await("client");
    try {
      await this.#side.write(bytes);
    } catch (error) {
      this.cancel("left");
      throw error;
    }
    this.#telling = false;
    this.#await("backend");
  };

  /** Sends a head together with the first piece of the body. */
  #behind(head: Uint8Array): Write {
    let isFirst = true;
    return (piece) => {
      if (!isFirst) return this.#toClient(piece);
      isFirst = false;
      const joined = this.#side.encoder.join(piece);
      return joined === null
        ? this.#toClient(head).then(() => this.#toClient(piece))
        : this.#toClient(joined);
    };
  }

  #failed(error: unknown): Outcome {
    const early = !this.#taken;
    if (this.#departure === "left") return { kind: "left" };
    if (this.#departure === "malformed" && !this.#begun) {
      return { kind: "malformed", persistent: false, early };
    }
    const found = this.#failureOf(error);
    const persistent = this.#head.persistent && !early && !this.#begun;
    return {
      kind: "failed",
      failure: found,
      status: this.#begun ? null : statusOf(found),
      persistent,
      early,
    };
  }

  #failureOf(error: unknown): Failure {
    // A request that never had a connection waited for one of the pool's, or for the backend to take it.
    if (error instanceof AcquireError && error.phase === "queue") return failure("connect", "queue-full");
    if (this.#departure === "late") {
      return failure(this.#phase, "timed-out", this.#phase === "connect" ? {} : { side: "server" });
    }
    if (this.#departure === "slow") {
      return failure(this.#begun ? "receive" : "send", "timed-out", { side: "client" });
    }
    if (error instanceof AcquireError) return classify(error.cause, "connect");
    if (error instanceof MalformedHead || error instanceof MalformedResponse) {
      return failure(this.#phase, "bad-response");
    }
    if (error instanceof TruncatedError) return failure(this.#phase, "closed-early");
    return classify(error, this.#phase);
  }
}

/** A backend takes no more of a request. */
class DeafError extends Error {}

function hasBody({ framing }: ResponseHead): boolean {
  return framing.kind !== "none" && !(framing.kind === "length" && framing.bytes === 0);
}

/** What a client is answered when a backend could not be asked, or gave no answer. */
function statusOf({ kind, side }: Failure): number {
  if (kind === "timed-out") return side === "client" ? 408 : 504;
  return side === "client" ? 503 : 502;
}
