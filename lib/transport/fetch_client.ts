import type { Phase } from "../record/mod.ts";
import { type Asked, NOTHING, SequentialClient } from "./_sequential_client.ts";
import { classify, describe } from "./classify.ts";
import type { ClientOptions, ClientVariant, Exchange, Target } from "./client.ts";
import { fetchPhase } from "./fetch_phase.ts";
import { checkPath } from "./http1_request.ts";

/** How a {@linkcode FetchClient} makes requests. */
export type FetchVariant = Extract<ClientVariant, `fetch/${string}`>;

/**
 * Deno's own client. It speaks one protocol, HTTP/1.1 unless another is asked for, follows no redirect and asks
 * for no compression, so that an exchange is one request and its body has the bytes that were sent. A proxy
 * that the environment names (`HTTP_PROXY`) is used for loopback too: measure without one.
 */
export class FetchClient extends SequentialClient {
  override readonly variant: FetchVariant;
  override readonly connections = null;
  readonly #scheme: "http" | "https";
  readonly #settings: Deno.CreateHttpClientOptions;
  #client: Deno.HttpClient | null = null;
  #abort = new AbortController();

  /**
   * @param variant whether the client, and with it its pool, is kept
   * @param target where requests go
   * @param options path, TLS, limits in time, signal, clock
   */
  constructor(variant: FetchVariant, target: Target, options: ClientOptions) {
    super(target, options);
    this.variant = variant;
    this.#scheme = options.tls ? "https" : "http";
    this.#settings = settingsOf(variant, options);
  }

  protected override async attempt({ method, path }: Asked): Promise<Exchange> {
    checkPath(path);
    const spentMs: Partial<Record<Phase, number>> = {};
    const startMs = this.now();
    let [phase, beganMs]: [Phase, number] = [this.#client === null ? "client" : "wait", startMs];
    const end = (next: Phase) => {
      const atMs = this.now();
      spentMs[phase] = atMs - beganMs;
      [phase, beganMs] = [next, atMs];
    };
    let response: Response | null = null;
    let bodyBytes = 0;
    let outcome = this.judge(null, null);
    try {
      if (this.#client === null) {
        this.#client = Deno.createHttpClient(this.#settings);
        end("wait");
      }
      this.#abort = new AbortController();
      response = await fetch(`${this.#scheme}://${this.authority}${path}`, {
        method,
        client: this.#client,
        redirect: "manual",
        headers: { "accept-encoding": "identity" },
        signal: this.#abort.signal,
      });
      end("receive");
      for await (const piece of response.body ?? []) bodyBytes += piece.length;
    } catch (thrown) {
      const error = describe(thrown);
      outcome = this.judge(classify(thrown, fetchPhase(error, this.#scheme, phase)), error);
    }
    end(phase);
    if (this.variant === "fetch/new") this.release();
    return {
      ...NOTHING,
      ...outcome,
      startMs,
      clientMs: spentMs.client ?? null,
      waitMs: spentMs.wait ?? null,
      receiveMs: spentMs.receive ?? null,
      elapsedMs: beganMs - startMs,
      status: response?.status ?? null,
      bodyBytes,
      serverCloses: response && closes(response),
    };
  }

  protected override cancel(): void {
    this.#abort.abort();
  }

  protected override release(): void {
    this.#client?.close();
    this.#client = null;
  }
}

/** What the runtime is told of a client. */
function settingsOf(
  variant: FetchVariant,
  { tls, idleTimeoutMs }: ClientOptions,
): Deno.CreateHttpClientOptions {
  const http2 = tls?.alpn === "h2";
  return {
    http1: !http2,
    http2,
    ...(tls?.caCerts ? { caCerts: [...tls.caCerts] } : {}),
    ...(idleTimeoutMs === undefined ? {} : { poolIdleTimeout: idleTimeoutMs }),
    // The client keeps its TLS sessions, and no connection.
    ...(variant === "fetch/resumed" ? { poolMaxIdlePerHost: 0 } : {}),
  };
}

function closes(response: Response): boolean {
  return (response.headers.get("connection") ?? "").toLowerCase().split(",").some((option) =>
    option.trim() === "close"
  );
}
