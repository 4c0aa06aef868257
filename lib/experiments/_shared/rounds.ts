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
  /**
   * The client's port of the connection that alone was there after the first request, and after the last;
   * `null` when there was none such, or nobody looked.
   */
  readonly keptPort: number | null;
  /** Answers before the last that announced that the server ends the connection. */
  readonly announcedCloses: number;
}

/**
 * Makes requests one after another, until there are enough or the run is to stop, and closes the client. A
 * request that is under way is finished, so that its row is whole.
 *
 * @param client what makes them
 * @param requests how many
 * @param context what times them, and tells whether the run is to stop
 * @param look finds the client's port of its connection, while it has one and no other; its time is not
 * counted. @default {nobody looks}
 * @returns the requests
 */
export async function timeRequests(
  client: Client,
  requests: number,
  context: Pick<MeasureContext, "signal" | "timed">,
  look?: () => number | null,
): Promise<TimedRequests> {
  using _closed = client;
  const exchanges: Exchange[] = [];
  const makeUpTo = (count: number) =>
    context.timed(async () => {
      while (exchanges.length < count && !context.signal.aborted) exchanges.push(await client.request());
    });
  let { elapsedMs } = await makeUpTo(look ? 1 : requests);
  let keptPort: number | null = null;
  if (look) {
    const firstPort = look();
    elapsedMs += (await makeUpTo(requests)).elapsedMs;
    if (look() === firstPort) keptPort = firstPort;
  }
  const announcedCloses = exchanges.slice(0, -1).filter(({ serverCloses }) => serverCloses).length;
  return { exchanges, elapsedMs, opened: client.connections, keptPort, announcedCloses };
}
