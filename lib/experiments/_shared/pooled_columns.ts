import { column, type RowOf } from "../../record/mod.ts";
import type { PooledExchange } from "../../transport/mod.ts";

/** The columns that tell which connection of a pool a request went over; they stand beside the exchange's. */
export const pooledColumns = {
  connection: column.count("the connection's place among those that the pool opened, from 1; empty for none"),
  address: column.text("the address that the connection goes to; empty for none"),
  reused: column.flag("whether the connection carried a request before; empty for none"),
  ageMs: column.ms("how long ago the connection was opened when the request got it"),
  idleMs: column.ms("how long the connection was idle before; empty for one opened for this request"),
  queuedMs: column.ms("how long the request waited for a connection, opening not included"),
  attempts: column.count("how often the request was sent"),
};

/**
 * The cells of {@linkcode pooledColumns}.
 *
 * @param exchange how the request went
 * @returns a cell for each column
 */
export function pooledCells(exchange: PooledExchange): RowOf<typeof pooledColumns> {
  const { connection, address, reused, ageMs, idleMs, queuedMs, attempts } = exchange;
  return { connection, address, reused, ageMs, idleMs, queuedMs, attempts };
}
