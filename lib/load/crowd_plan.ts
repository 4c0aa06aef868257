import type { FailureName, Phase, Side } from "../record/mod.ts";
import type { LoadClient } from "./plan.ts";

/**
 * What the connections of a crowd do once they are open.
 *
 * - `idle`: one request and its answer while opening, then silence.
 * - `slow`: one request whose answer the server holds back.
 * - `half-header`: the beginning of a request whose header never ends, a byte more every `dripMs`.
 * - `half-body`: a whole header that announces a body which never comes.
 */
export type CrowdBehaviour =
  | { readonly kind: "idle" }
  | { readonly kind: "slow" }
  | { readonly kind: "half-header"; readonly dripMs: number | null }
  | { readonly kind: "half-body" };

/** A number of connections that are opened and held, by all shards together. Plain data. */
export interface CrowdPlan {
  /** What holds them. */
  readonly client: LoadClient;
  /** How many; with `fetch`, how many requests. */
  readonly connections: number;
  /** What they do. */
  readonly behaviour: CrowdBehaviour;
  /**
   * How many may be opening at once, over all shards: waiting for the connection, for the acknowledgement of what was
   * sent over it, or, if idle, for the answer. `fetch` sends over a connection that is free: it opens no more of them
   * than this.
   */
  readonly burst: number;
  /** How long one may take to be connected and, if idle, to be answered, in milliseconds; `null` without a limit. */
  readonly timeoutMs: number | null;
}

/** What became of one connection of a crowd. Times are milliseconds since the crowd began to open. */
export interface CrowdRow {
  /** The shard that held it. */
  readonly shard: number;
  /** Its place in the shard, from 0. */
  readonly connection: number;
  /** When it was begun. */
  readonly startMs: number;
  /**
   * When it was open: idle, when its answer was whole; else, when the peer's system had what was sent (`raw`: when
   * it was handed to the own one; `fetch`: when its answer was whole, whatever it does). `null` when it never was.
   */
  readonly openMs: number | null;
  /** How long connect() took; `null` when it failed or the client does not tell. */
  readonly connectMs: number | null;
  /** When the server ended it; `null` when it did not while it was held. */
  readonly closedMs: number | null;
  /** The status of the (last) answer that it got; `null` without one. */
  readonly status: number | null;
  /** Bytes that were sent over it. */
  readonly sentBytes: number;
  /** Where it failed; `null` when it did not. One that was open, and has been `reset`, failed in `wait`. */
  readonly phase: Phase | null;
  /** How. */
  readonly failure: FailureName | null;
  /** Whose limit or fault that was. */
  readonly side: Side | null;
}

/** What a crowd is at a moment. */
export interface CrowdCounts {
  /** Connections that were begun. */
  readonly begun: number;
  /** Connections that came to be open. */
  readonly opened: number;
  /** Connections that failed before they were. */
  readonly failed: number;
  /** Connections that are open now; `null` where the client does not tell: `fetch`. */
  readonly open: number | null;
  /** Connections that the server ended after they were open; `null` where the client does not tell. */
  readonly closed: number | null;
}
