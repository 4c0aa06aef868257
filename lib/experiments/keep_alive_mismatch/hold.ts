import { connectTcp, encodeRequest, exchange, ResponseParser } from "../../transport/mod.ts";
import { ObservedConnection, type Target } from "./askers.ts";

/** How a connection ended that was held idle. */
export interface Held {
  /** When the client saw its end, since the response, in milliseconds; `null` when it did not in the time. */
  readonly observedMs: number | null;
  /** How it ended; `null` when it did not. */
  readonly how: "fin" | "reset" | null;
}

/** What {@linkcode holdIdle} is told. */
export interface HoldOptions {
  /** How long it is held at most, in milliseconds. */
  readonly limitMs: number;
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

const NOTHING_SEEN: Held = { observedMs: null, how: null };
const BUFFER_BYTES = 4096;

/**
 * Makes one request and waits for the other side to end the connection.
 *
 * @param target where it goes
 * @param options how long, clock, signal
 * @returns how it ended; nothing seen when the request failed
 */
export async function holdIdle(target: Target, options: HoldOptions): Promise<Held> {
  const { limitMs, now, signal } = options;
  const buffer = new Uint8Array(BUFFER_BYTES);
  try {
    using connection = new ObservedConnection(await connectTcp({ ...target, signal }));
    const request = { method: "GET", path: "/static?bytes=0", ...target } as const;
    const answer = await exchange(
      connection,
      { method: "GET", bytes: encodeRequest(request) },
      { buffer, parser: new ResponseParser(), now },
    );
    if (!answer.reusable) return NOTHING_SEEN;
    const idleSinceMs = now();
    const giveUp = () => connection.close();
    const timer = setTimeout(giveUp, limitMs);
    signal.addEventListener("abort", giveUp);
    // An end is what is waited for, however it shows.
    await connection.read(buffer).catch(() => {});
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    const { peerEnd } = connection;
    return peerEnd === "none" ? NOTHING_SEEN : { observedMs: now() - idleSinceMs, how: peerEnd };
  } catch {
    return NOTHING_SEEN;
  }
}

/**
 * Asks a server how long it says that it keeps an idle connection.
 *
 * @param target where it is
 * @returns the time of `Keep-Alive: timeout=`, in milliseconds; `null` when it says none
 */
export async function readAdvertised({ hostname, port }: Target): Promise<number | null> {
  const response = await fetch(`http://${hostname}:${port}/static?bytes=0`);
  await response.body?.cancel();
  const [, seconds] = /(?:^|[\s,;])timeout=(\d+)/i.exec(response.headers.get("keep-alive") ?? "") ?? [];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
