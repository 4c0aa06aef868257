import type { Phase } from "../record/mod.ts";
import { pause } from "../system/mod.ts";
import { classify, describe, encodeRequest, fetchPhase } from "../transport/mod.ts";
import { type Lane, type LaneEnd, SlotDriver } from "./_slot_driver.ts";
import type { EngineJob } from "./engine.ts";
import type { LoadTarget } from "./plan.ts";

/**
 * How long a body may come without a pause, in milliseconds: the pieces of one that the server sends faster than they
 * are read follow each other without end, and no timer would ring.
 */
const BREATH_MS = 20;

/**
 * Makes load with Deno's own client, as a subject: one client and one pool for all slots, HTTP/1.1, no redirects and
 * no compression. It does not tell which connection a request used, and may send one again unseen. A slot is a
 * request at a time, not a connection.
 *
 * @param job what there is to do
 */
export async function fetchEngine(job: EngineJob): Promise<void> {
  const { connections, targets } = job;
  using client = Deno.createHttpClient({ http1: true, http2: false, poolMaxIdlePerHost: connections });
  const lanes = Array.from(
    { length: connections },
    (_, slot) => new FetchLane(job, targets[slot % targets.length]!, client),
  );
  await new SlotDriver(job, lanes).run();
}

/** One request after another through the client that all share. */
class FetchLane implements Lane {
  readonly fresh = null;
  readonly #method: string;
  readonly #url: string;
  readonly #client: Deno.HttpClient;
  readonly #now: () => number;
  #abort = new AbortController();

  constructor({ plan: { method }, now }: EngineJob, target: LoadTarget, client: Deno.HttpClient) {
    // Refuses what a request line cannot hold, where a URL would change it unseen.
    encodeRequest({ method, ...target });
    const { hostname, port, path } = target;
    this.#method = method;
    this.#url = `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}${path}`;
    this.#client = client;
    this.#now = now;
  }

  async request(): Promise<LaneEnd> {
    this.#abort = new AbortController();
    let phase: Phase = "wait";
    let status: number | null = null;
    let bodyBytes = 0;
    try {
      const response = await fetch(this.#url, {
        method: this.#method,
        client: this.#client,
        redirect: "manual",
        headers: { "accept-encoding": "identity" },
        signal: this.#abort.signal,
      });
      ({ status } = response);
      phase = "receive";
      let breathMs = this.#now();
      for await (const piece of response.body ?? []) {
        bodyBytes += piece.length;
        if (this.#now() - breathMs < BREATH_MS) continue;
        await pause(0);
        breathMs = this.#now();
      }
      return { status, bodyBytes, failure: null };
    } catch (thrown) {
      const failure = classify(thrown, fetchPhase(describe(thrown), "http", phase));
      return { status, bodyBytes, failure };
    }
  }

  /** The client watches its connections itself. */
  rest(): void {}

  cancel(): void {
    this.#abort.abort();
  }
}
