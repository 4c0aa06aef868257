import { pause } from "../../system/mod.ts";
import type { Origin } from "../../transport/mod.ts";

/** A pause after which a client made another request. */
export interface Pause {
  /** How long its connection was idle, in milliseconds. */
  readonly pauseMs: number;
  /** Whether the next request went over it; `null` when that is not known, as a request failed. */
  readonly reused: boolean | null;
}

/** How many pauses there are, of different length, all at the same time. */
export const PAUSES = 20;

/** What {@linkcode observePauses} is told. */
export interface PausesOptions {
  /** The lab's origin, which tells in `/conn` which connection a request came over. */
  readonly origin: Origin;
  /** The longest pause, in milliseconds. */
  readonly longestMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/**
 * Looks for the idle timeout of `fetch`: clients with a connection each leave it idle, each for longer than the
 * one before it, and make another request. The server says whether it came over the same connection.
 *
 * @param options where to, and for how long
 * @returns the pauses, the shortest first
 */
export function observePauses({ origin, longestMs, signal }: PausesOptions): Promise<Pause[]> {
  const url = `http://${origin.hostname}:${origin.port}/conn`;
  const pauses = Array.from({ length: PAUSES }, (_, place) => longestMs * (place + 1) / PAUSES);
  return Promise.all(pauses.map(async (pauseMs) => {
    using client = Deno.createHttpClient({});
    const connection = async (): Promise<number> => {
      const response = await fetch(url, { client, signal });
      return (await response.json()).connection;
    };
    try {
      const before = await connection();
      await pause(pauseMs, signal);
      return { pauseMs, reused: await connection() === before };
    } catch {
      return { pauseMs, reused: null };
    }
  }));
}
