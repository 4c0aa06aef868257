import { shuffle } from "../../stats/mod.ts";
import type { Client, Exchange } from "../../transport/mod.ts";
import type { MeasureContext } from "../contract.ts";

/** One round of one variant. */
export interface Turn<V extends string = string> {
  /** The round, from 1; 0 is the one that warms up and is discarded. */
  readonly round: number;
  /** The place of the variant within its round, from 0. */
  readonly place: number;
  /** The variant. */
  readonly variant: V;
}

/** What {@linkcode takeTurns} is told. */
export interface Turns<V extends string> {
  /** What is compared. */
  readonly variants: readonly V[];
  /** How many rounds, after the one that is discarded. */
  readonly rounds: number;
  /** Measures one round of one variant. */
  readonly measure: (turn: Turn<V>) => Promise<void>;
}

/**
 * Has variants take turns within each round, in an order drawn anew for every round, so that whatever slows
 * the machine down slows all of them. It ends early when the run is to stop.
 *
 * @param turns the variants, and what measures them
 * @param context where the random numbers and the signal come from, and progress goes
 */
export async function takeTurns<V extends string>(
  turns: Turns<V>,
  context: Pick<MeasureContext, "random" | "signal" | "progress">,
): Promise<void> {
  const { variants, rounds, measure } = turns;
  const total = (rounds + 1) * variants.length;
  let done = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const [place, variant] of shuffle(variants, context.random).entries()) {
      await measure({ round, place, variant });
      if (context.signal.aborted) return;
      context.progress(++done, total, round === 0 ? "warming up" : `round ${round}, ${variant}`);
    }
  }
}

/** Requests that one client made one after another. */
export interface TimedRequests {
  /** How they went; fewer than were asked for, when the run is to stop. */
  readonly exchanges: readonly Exchange[];
  /** How long all of them took, in milliseconds. */
  readonly elapsedMs: number;
  /** How many connections the client says it opened; `null` when it does not tell. */
  readonly opened: number | null;
}

/**
 * Makes requests one after another, until there are enough or the run is to stop, and closes the client. A
 * request that is under way is finished, so that its row is whole.
 *
 * @param client what makes them
 * @param requests how many
 * @param context what times them, and tells whether the run is to stop
 * @returns the requests
 */
export async function timeRequests(
  client: Client,
  requests: number,
  context: Pick<MeasureContext, "signal" | "timed">,
): Promise<TimedRequests> {
  using _closed = client;
  const { value: exchanges, elapsedMs } = await context.timed(async () => {
    const made: Exchange[] = [];
    while (made.length < requests && !context.signal.aborted) made.push(await client.request());
    return made;
  });
  return { exchanges, elapsedMs, opened: client.connections };
}
