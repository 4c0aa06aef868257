import { column, type RowOf } from "../../record/mod.ts";
import type { Exchange } from "../../transport/mod.ts";
import type { Count } from "./round_counts.ts";
import type { Turn } from "./rounds.ts";

/** The columns that every table of rounds begins with. */
export const roundColumns = {
  round: column.count("round, from 1"),
  place: column.count("place of the variant within its round, from 0, drawn from the seed"),
  variant: column.text("client and whether it keeps its connection"),
  startMs: column.ms("when it began, since the measurement began"),
  elapsedMs: column.ms("time for all requests of the round, closing of each new connection included"),
  requests: column.count("requests made"),
  failed: column.count("requests that failed"),
  connections: column.count("connections that the server, or for a target the client, counted"),
  connectionsReason: column.text("why connections were not counted; empty when they were"),
};

/** What is known of a round when it is over. */
export interface RoundOutcome {
  /** When it began, in milliseconds since the measurement began. */
  readonly startMs: number;
  /** How long its requests took, in milliseconds. */
  readonly elapsedMs: number;
  /** Its requests. */
  readonly exchanges: readonly Exchange[];
  /** Connections made. */
  readonly connections: Count;
}

/**
 * The cells of {@linkcode roundColumns}.
 *
 * @param turn which round it was
 * @param outcome how it went
 * @returns a cell for each column
 */
export function roundCells(turn: Turn, outcome: RoundOutcome): RowOf<typeof roundColumns> {
  const { startMs, elapsedMs, exchanges, connections } = outcome;
  return {
    ...turn,
    startMs,
    elapsedMs,
    requests: exchanges.length,
    failed: exchanges.filter(({ failure }) => failure !== null).length,
    connections: connections.value,
    connectionsReason: connections.reason,
  };
}
