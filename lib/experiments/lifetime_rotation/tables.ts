import { column } from "../../record/mod.ts";
import { exchangeColumns } from "../_shared/exchange_columns.ts";
import { pooledColumns } from "../_shared/pooled_columns.ts";

/**
 * The raw tables, with times as they passed, whatever the speed: a row a request, as the client saw it, and a
 * row a request, as the server saw it; a row a name that was resolved; a row a connection that was opened; when
 * the name moved; a row a pool; a row a block of requests whose cost was measured.
 */
export const tables = {
  requests: {
    variant: column.text("what was measured: a part, or an arm of a part"),
    order: column.count("place of the request within its variant, from 0, by when it was due or began"),
    client: column.count("which of the clients made it, from 1"),
    id: column.count("the number that the server heard; empty where it keeps no record of the request"),
    dueMs: column.ms("when it was to begin, since the measurement began; empty when as soon as possible"),
    ...exchangeColumns,
    ...pooledColumns,
  },
  visits: {
    address: column.text("the address that the server listens on"),
    id: column.count("the number that came with the request"),
    connection: column.count("the connection's place among those of the listener, from 1"),
    clientPort: column.count("the client's port"),
    atMs: column.ms("when it came, on the server's clock"),
  },
  resolutions: {
    variant: column.text("whose pool asked"),
    atMs: column.ms("when, since the measurement began"),
    hostname: column.text("the name"),
    address: column.text("the address that it stood for"),
  },
  moves: {
    hostname: column.text("the name that moved"),
    from: column.text("the address before"),
    to: column.text("the address afterwards"),
    movedMs: column.ms("when it moved, since the measurement began"),
    endedMs: column.ms("until when requests were made"),
  },
  pools: {
    variant: column.text("what was measured"),
    opened: column.count("connections that the pools of the variant opened"),
    reused: column.count("times that an idle connection was handed out again"),
    aged: column.count("connections that were closed for their lifetime"),
    accepted: column.count("connections that the servers accepted; empty where several variants share them"),
  },
  reconnects: {
    jitter: column.ratio("share of the lifetime by which each connection's is shortened at random"),
    connection: column.count("the connection's place among those that the pool opened, from 1"),
    first: column.flag("whether it is one of those opened in the beginning, and no reconnect"),
    atMs: column.ms("when it was asked for, since the first ones were"),
    sinceMs: column.ms("how long before that all connections were last asked for; empty for the first ones"),
    openMs: column.ms("time to resolve and open; empty when it could not be opened"),
    failureKind: column.text("kind of the failure; empty when there was none"),
  },
  blocks: {
    variant: column.text("the lifetime, or none"),
    round: column.count("round, from 1"),
    place: column.count("place of the variant within its round, from 0, drawn from the seed"),
    elapsedMs: column.ms("time for all requests, one after another, closing of old connections included"),
    requests: column.count("requests made"),
    failed: column.count("requests that failed"),
    fresh: column.count("requests for which a connection was opened"),
    freshMs: column.ms("sum of the times of these requests"),
    reusedMs: column.ms("sum of the times of all others"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
