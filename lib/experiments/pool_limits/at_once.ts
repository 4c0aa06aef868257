/** When a request was under way. */
export interface UnderWay {
  /** When it began, in milliseconds. */
  readonly startMs: number;
  /** How long it took, in milliseconds. */
  readonly elapsedMs: number;
}

/**
 * Whether requests were all under way at the same time: only then does the number of their connections tell of
 * a limit. Where the machine was so late that one was answered before another began, a connection that was free
 * again served two of them.
 *
 * @param requests the requests, in any order
 * @returns whether the last to begin did so before the first was answered
 *
 * @example
 * ```ts
 * import { wereAtOnce } from "./at_once.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(wereAtOnce([{ startMs: 0, elapsedMs: 100 }, { startMs: 90, elapsedMs: 100 }]), true);
 * assertEquals(wereAtOnce([{ startMs: 0, elapsedMs: 100 }, { startMs: 110, elapsedMs: 100 }]), false);
 * ```
 */
export function wereAtOnce(requests: readonly UnderWay[]): boolean {
  let [lastStartMs, firstEndMs] = [-Infinity, Infinity];
  for (const { startMs, elapsedMs } of requests) {
    lastStartMs = Math.max(lastStartMs, startMs);
    firstEndMs = Math.min(firstEndMs, startMs + elapsedMs);
  }
  return lastStartMs < firstEndMs;
}
