import { column } from "../../record/mod.ts";
import { exchangeColumns } from "../_shared/exchange_columns.ts";
import { roundColumns } from "../_shared/round_columns.ts";

/**
 * The raw tables: a row a request; a row a round and variant, counted when its connections were gone; a
 * row a socket that a round left behind; the run's sockets in TIME_WAIT over time.
 */
export const tables = {
  requests: {
    variant: column.text("client and whether it keeps its connection"),
    round: column.count("round, from 1"),
    order: column.count("place of the request within its round and variant, from 0"),
    ...exchangeColumns,
  },
  rounds: {
    ...roundColumns,
    timeWaitClient: column.count("sockets that the round added in TIME_WAIT on the client's side"),
    timeWaitServer: column.count("sockets that the round added in TIME_WAIT on the server's side"),
    timeWaitReason: column.text("why TIME_WAIT was not counted; empty when it was"),
  },
  sockets: {
    round: column.count("round, from 1"),
    variant: column.text("client and whether it keeps its connection"),
    side: column.text("client or server"),
    local: column.text("address and port of this side"),
    peer: column.text("address and port of the other side"),
    state: column.text("state of the socket"),
    seenMs: column.ms("when it was seen, since the measurement began"),
  },
  timewait: {
    seenMs: column.ms("when it was counted, since the measurement began"),
    client: column.count("the run's sockets in TIME_WAIT on the client's side"),
    server: column.count("the run's sockets in TIME_WAIT on the server's side"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
