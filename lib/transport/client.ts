import type { Failure } from "../record/mod.ts";
import type { Method } from "./http1_request.ts";

/** Every way to make requests that an experiment compares: a client, and whether it keeps its connection. */
export const CLIENT_VARIANTS = ["fetch/new", "fetch/shared", "raw/new", "raw/shared"] as const;

/**
 * One of {@linkcode CLIENT_VARIANTS}: `raw` speaks over `Deno.connect` with framing of its own, `fetch` is
 * Deno's own client; `new` begins afresh for every request, `shared` keeps what the first request made.
 * `fetch/resumed`, over TLS only, opens a connection for every request and resumes the session of an earlier
 * one on it, where the server lets it: a TLS handshake without a certificate. `raw` cannot, as the runtime
 * keeps no session for it.
 */
export type ClientVariant = (typeof CLIENT_VARIANTS)[number] | "fetch/resumed";

/** How a client speaks TLS. */
export interface ClientTlsOptions {
  /** Certificates of authorities that are trusted besides the usual ones, as PEM text. @default {none} */
  readonly caCerts?: readonly string[];
  /**
   * The one protocol that is offered and spoken (ALPN); `raw` speaks HTTP/1.1 only. A server that has no ALPN
   * agrees to none: whether it spoke the protocol is for it to tell. @default {"http/1.1"}
   */
  readonly alpn?: "http/1.1" | "h2";
}

/** Where requests go. */
export interface Target {
  /** The address, an IPv6 one without brackets. A name may stand for several: measure with an address. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
}

/** Options of {@linkcode openClient}. */
export interface ClientOptions {
  /** The path of a request that names none. @default {"/"} */
  readonly path?: string;
  /** Speaks TLS, and how. The server's certificate is always verified. @default {plain TCP} */
  readonly tls?: ClientTlsOptions | undefined;
  /**
   * `fetch`: how long a connection that is kept may be idle, in milliseconds. `raw` keeps one until its client
   * is closed. @default {the runtime's: 90000}
   */
  readonly idleTimeoutMs?: number;
  /** How long one exchange may take, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /** Ends the client: the request that is under way, and every later one, rejects with its reason. */
  readonly signal?: AbortSignal;
  /** The monotonic clock, in milliseconds. @default {performance.now} */
  readonly now?: () => number;
}

/** Options of {@linkcode Client.request}. */
export interface RequestOptions {
  /** The method. A `POST` has an empty body. @default {"GET"} */
  readonly method?: Method;
  /** The path with its query. @default {the client's} */
  readonly path?: string;
}

/**
 * One request and its response, phase by phase, or how far they came. A phase that did not happen, or that
 * the client does not let see, is `null`. The phase that failed has the time that went by in it (`waitMs`, when
 * `fetch` fails to connect or in the TLS handshake).
 */
export interface Exchange {
  /** When it began, on the client's clock. */
  readonly startMs: number;
  /** `fetch`: time to construct the client that the request made. */
  readonly clientMs: number | null;
  /** Time to find the address. Always `null`: neither client lets it see; it is part of the next phase. */
  readonly dnsMs: number | null;
  /** `raw`: time to connect, a name's resolution included. */
  readonly connectMs: number | null;
  /** `raw`: time for the TLS handshake. `null` on a plain connection, and on one that is reused. */
  readonly tlsMs: number | null;
  /** `raw`: time to hand the request to the system. */
  readonly sendMs: number | null;
  /** `raw`: time from there to the first byte. `fetch`: from its call to the head, both handshakes and sending too. */
  readonly waitMs: number | null;
  /** Time from there to the last byte. */
  readonly receiveMs: number | null;
  /** Time from the beginning to the last byte, or to the failure. Closing is not in it. */
  readonly elapsedMs: number;
  /** The status code; `null` when no whole head came. */
  readonly status: number | null;
  /** How many bytes of body came. */
  readonly bodyBytes: number;
  /** `raw`: the client's port; `null` when there was no connection. */
  readonly localPort: number | null;
  /** `raw`: the connection's place among those that the client opened, from 1; `null` when there was none. */
  readonly connection: number | null;
  /**
   * `raw` over TLS: the protocol that ALPN agreed on. `null` on a plain connection, where the server chose none,
   * and for `fetch`, which does not tell: ask the server.
   */
  readonly protocol: string | null;
  /**
   * Whether the server announced that it ends the connection. `fetch` sees the field `Connection: close` only,
   * not HTTP/1.0 or a body that ends with the connection. `null` when no whole head came.
   */
  readonly serverCloses: boolean | null;
  /** What went wrong; `null` when nothing did. A status of 400 or more is an answer, not a failure. */
  readonly failure: Failure | null;
  /** What the runtime or the parser said of the failure; `null` when there is none. */
  readonly error: string | null;
}

/** Makes requests to one target, one after another. */
export interface Client extends Disposable {
  /** How it makes them. */
  readonly variant: ClientVariant;
  /** How many connections it has opened so far; `null` for `fetch`, which does not tell. */
  readonly connections: number | null;

  /**
   * Makes one request and reads its response to the end. It is sent once: `raw` never repeats one, `fetch`
   * may do so unseen. A kept connection that ended is opened anew by the next request.
   *
   * @param options what is asked
   * @returns how it went; whatever the network does is in there and not thrown
   * @throws {TypeError} the previous request is not answered yet, the client is closed, or the path cannot be sent
   * @throws the reason of the client's signal
   */
  request(options?: RequestOptions): Promise<Exchange>;

  /** Closes what is open. Closing once more does nothing. */
  close(): void;
}
