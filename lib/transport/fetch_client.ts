import type { Phase } from "../record/mod.ts";
import { type Asked, NOTHING, SequentialClient } from "./_sequential_client.ts";
import { classify, describe } from "./classify.ts";
import type { ClientOptions, Exchange, Target } from "./client.ts";
import { checkPath } from "./http1_request.ts";

/**
 * Deno's own client. It speaks HTTP/1.1 only, follows no redirect and asks for no compression, so that an
 * exchange is one request and its body has the bytes that were sent. A proxy that the environment names
 * (`HTTP_PROXY`) is used for loopback too: measure without one.
 */
export class FetchClient extends SequentialClient {
  override readonly variant: "fetch/new" | "fetch/shared";
  override readonly connections = null;
  #client: Deno.HttpClient | null = null;
  #abort = new AbortController();

  /**
   * @param variant whether the client, and with it its pool, is kept
   * @param target where requests go
   * @param options path, limit in time, signal, clock
   */
  constructor(variant: "fetch/new" | "fetch/shared", target: Target, options: ClientOptions) {
    super(target, options);
    this.variant = variant;
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
        this.#client = Deno.createHttpClient({ http2: false });
        end("wait");
      }
      this.#abort = new AbortController();
      response = await fetch(`http://${this.authority}${path}`, {
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
      outcome = this.judge(
        classify(thrown, error.includes("client error (Connect)") ? "connect" : phase),
        error,
      );
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

function closes(response: Response): boolean {
  return (response.headers.get("connection") ?? "").toLowerCase().split(",").some((option) =>
    option.trim() === "close"
  );
}
