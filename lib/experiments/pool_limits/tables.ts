import { column, type RowOf } from "../../record/mod.ts";
import { tlsExchangeColumns } from "../_shared/exchange_columns.ts";
import { pooledColumns } from "../_shared/pooled_columns.ts";

const variant = column.text("what was limited, and for some the client");
const wave = column.count("wave of requests, from 1; the next begins when all are answered");
const client = column.text("the client, with no option given");

/**
 * The raw tables: a row a request; a row a wave of requests, counted when all were answered; a row a client
 * and setting; a row a pause after which a client made another request.
 */
export const tables = {
  requests: {
    variant,
    wave,
    order: column.count("place of the request within its wave, from 0"),
    ...tlsExchangeColumns,
    ...pooledColumns,
  },
  waves: {
    variant,
    client: column.text("client that made the requests: raw, the lab's own pool, or fetch"),
    protocol: column.text("protocol of the requests, in the server's word; empty when there was none"),
    wave,
    startMs: column.ms("when it began, since the measurement began"),
    elapsedMs: column.ms("time until all of its requests were answered; empty when none was made"),
    requests: column.count("requests that the client made"),
    failed: column.count("requests that failed"),
    received: column.count("requests that the server received; empty when none was made"),
    connections: column.count(
      "connections of the variant so far, as the server counted them, a relay before it, or the client",
    ),
    connectionsReason: column.text("why the variant was not measured; empty when it was"),
  },
  defaults: {
    client,
    setting: column.text("the setting"),
    value: column.text("its value, or none for no limit; empty when it is not known"),
    unit: column.text("unit of the value; empty when it has none"),
    how: column.text("read from the client, or observed; empty when it is not known"),
    reason: column.text("where it was read or what was observed; why it is not known"),
  },
  pauses: {
    client,
    pauseMs: column.ms("how long its connection was idle"),
    reused: column.flag("whether the next request went over it; empty when that is not known"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;

/** The cells of a request whose client does not show its pool. */
export const UNSEEN_POOL = Object.fromEntries(
  Object.keys(pooledColumns).map((name) => [name, null]),
) as RowOf<typeof pooledColumns>;
