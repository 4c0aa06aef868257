import type { Agenda } from "./agenda.ts";
import type { LoadPlan, LoadTarget } from "./plan.ts";
import type { Tally } from "./tally.ts";

/** What one thread has to do, and what it works with. */
export interface EngineJob {
  /** The plan of all threads together. */
  readonly plan: LoadPlan;
  /** Connections of this thread, at most. */
  readonly connections: number;
  /** Where its connections go, in turn: the first to the first. */
  readonly targets: readonly LoadTarget[];
  /** Which requests begin, and when. */
  readonly agenda: Agenda;
  /** Where every request is accounted for. */
  readonly tally: Tally;
  /** The clock: milliseconds since the load began, < 0 for a short while before. */
  readonly now: () => number;
  /**
   * Whether the load goes on: its time is not up, nobody stopped it, and not all that was asked for is done.
   * It tells others of the progress, and is asked every 100 ms at least, and at most once for a batch of events.
   */
  readonly goesOn: (nowMs: number) => boolean;
}

/**
 * Makes the load of one thread: opens connections as requests need them, at most as many as it may have, until the
 * load goes on no more; then closes them. What the network or the server does wrong is recorded, never thrown.
 */
export type Engine = (job: EngineJob) => Promise<void>;

/** How long a connection that could not be opened is not tried again: a refused connect costs no time at all. */
export const RETRY_PAUSE_MS = 10;

/**
 * How many connections of a closed loop are opened at once: more would wait in a server's accept queue, overflow it, and
 * make opening what is measured. In an open loop a connection is opened when a request needs it.
 */
export const MOST_OPENING = 128;
