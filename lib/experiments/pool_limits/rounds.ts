/** A request on its connection. */
export interface Carried {
  /** The connection. */
  readonly lane: string;
  /** When the connection began to carry it, opening included, in milliseconds. */
  readonly fromMs: number;
  /** When its response was complete, in milliseconds. */
  readonly toMs: number;
}

/** How far apart the readings of the clock around one hand-over may be: less than the shortest response. */
const TOLERANCE_MS = 0.5;

/**
 * The round of each request: one more than the latest round on its connection that was over when it began.
 * Requests that a connection carries at the same time are of one round.
 *
 * @param requests the requests, in any order
 * @returns the round of each, from 1
 *
 * @example
 * ```ts
 * import { roundsOf } from "./rounds.ts";
 * import { assertEquals } from "@std/assert";
 * const lane = "1";
 * const [first, second] = [{ lane, fromMs: 0, toMs: 500 }, { lane, fromMs: 500, toMs: 1000 }];
 * assertEquals(roundsOf([first, second]), [1, 2]);
 * assertEquals(roundsOf([first, first]), [1, 1]);
 * ```
 */
export function roundsOf(requests: readonly Carried[]): number[] {
  const rounds = new Array<number>(requests.length).fill(1);
  for (const places of Map.groupBy(requests.keys(), (place) => requests[place]!.lane).values()) {
    const byEnd = places.toSorted((left, right) => requests[left]!.toMs - requests[right]!.toMs);
    const byBeginning = places.toSorted((left, right) => requests[left]!.fromMs - requests[right]!.fromMs);
    let [over, latest] = [0, 0];
    for (const place of byBeginning) {
      const { fromMs } = requests[place]!;
      for (; over < byEnd.length && requests[byEnd[over]!]!.toMs <= fromMs + TOLERANCE_MS; over++) {
        latest = Math.max(latest, rounds[byEnd[over]!]!);
      }
      rounds[place] = latest + 1;
    }
  }
  return rounds;
}
