import { connectTcp, encodeRequest } from "../../transport/mod.ts";
import { Visitor } from "../_shared/visitor.ts";
import { type Closing, WatchedConnection } from "../_shared/watched_connection.ts";
import type { Target } from "./askers.ts";

/** What became of a connection that was held idle. */
export interface Held {
  /** What `Keep-Alive: timeout=` said, in milliseconds; `null` when it was not sent. */
  readonly advertisedMs: number | null;
  /** When the client saw its end, since the response, in milliseconds; `null` when it saw none. */
  readonly observedMs: number | null;
  /** How it ended; `null` when it did not. */
  readonly how: Closing | null;
  /** How long it was watched, in milliseconds; `null` when there was nothing to watch. */
  readonly watchedMs: number | null;
  /** Why there was nothing to watch; `null` when there was. */
  readonly failureKind: string | null;
}

/** What {@linkcode holdIdle} is told. */
export interface HoldOptions {
  /** How long it is held at most, in milliseconds. */
  readonly limitMs: number;
  /** How long the connection, and then the answer, is waited for, in milliseconds. */
  readonly timeoutMs: number;
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/**
 * Makes one request and waits for the other side to end the connection.
 *
 * @param target where it goes
 * @param options how long, clock, signal
 * @returns what became of it
 */
export async function holdIdle({ hostname, port }: Target, options: HoldOptions): Promise<Held> {
  const { limitMs, timeoutMs, now, signal } = options;
  const request = { method: "GET", path: "/static?bytes=0", hostname, port } as const;
  const visitor = new Visitor(
    {
      connect: (signal) => connectTcp({ hostname, port, signal }),
      request: { method: "GET", bytes: encodeRequest(request) },
    },
    now,
    signal,
  );
  const made = await visitor.connect(timeoutMs);
  if (!(made instanceof WatchedConnection)) return unanswered(made.failure!.kind);
  using connection = made;
  const { failure, advertisedMs } = await visitor.ask(connection, timeoutMs);
  if (failure !== null) return unanswered(failure.kind);
  const { idleMs, closing } = await visitor.idle(connection, { limitMs, sinceMs: now(), signal });
  return {
    ...{ advertisedMs, how: closing, watchedMs: idleMs, failureKind: null },
    observedMs: closing === null ? null : idleMs,
  };
}

function unanswered(failureKind: string): Held {
  return { advertisedMs: null, observedMs: null, how: null, watchedMs: null, failureKind };
}
