import { column, type RowOf } from "../../record/mod.ts";
import type { Exchange } from "../../transport/mod.ts";
import { labelsCell, labelsColumn } from "./labels.ts";

/** The columns that tell how one exchange went, over plain connections. */
export const exchangeColumns = {
  startMs: column.ms("when it began, since the measurement began"),
  clientMs: column.ms("time to construct the HTTP client; empty where none was constructed"),
  connectMs: column.ms("time to connect; empty on a kept connection, and for fetch, which does not show it"),
  sendMs: column.ms("time to hand the request to the system; empty for fetch, which does not show it"),
  waitMs: column.ms(
    "time from there to the first byte (fetch: from its call to the head, connecting included)",
  ),
  receiveMs: column.ms("time from there to the last byte"),
  elapsedMs: column.ms("time from the beginning to the last byte, or to the failure"),
  status: column.count("HTTP status code; empty when no response came"),
  bodyBytes: column.bytes("size of the response's body"),
  clientPort: column.count("the client's port; empty for fetch, which does not show it"),
  failurePhase: column.text("phase in which the request failed; empty when it did not"),
  failureKind: column.text("kind of the failure; empty when there was none"),
  failureSide: column.text("whose limit or fault the failure is; empty when there was none"),
  labels: labelsColumn,
};

const { startMs, clientMs, connectMs, ...afterConnect } = exchangeColumns;

/** The columns that tell how one exchange went, over plain connections or TLS. */
export const tlsExchangeColumns = {
  startMs,
  clientMs,
  connectMs,
  tlsMs: column.ms(
    "time for the TLS handshake; empty on a plain or kept connection, and for fetch, which does not show it",
  ),
  ...afterConnect,
  protocol: column.text(
    "protocol that ALPN agreed on, as the client sees it; empty where it does not show it",
  ),
};

/**
 * The cells of {@linkcode exchangeColumns}.
 *
 * @param exchange how the exchange went
 * @returns a cell for each column
 */
export function exchangeCells(exchange: Exchange): RowOf<typeof exchangeColumns> {
  const { startMs, clientMs, connectMs, sendMs, waitMs, receiveMs, elapsedMs, status, bodyBytes } = exchange;
  return {
    startMs,
    clientMs,
    connectMs,
    sendMs,
    waitMs,
    receiveMs,
    elapsedMs,
    status,
    bodyBytes,
    clientPort: exchange.localPort,
    failurePhase: exchange.failure?.phase ?? null,
    failureKind: exchange.failure?.kind ?? null,
    failureSide: exchange.failure?.side ?? null,
    labels: labelsCell(exchange),
  };
}

/**
 * The cells of {@linkcode tlsExchangeColumns}.
 *
 * @param exchange how the exchange went
 * @returns a cell for each column
 */
export function tlsExchangeCells(exchange: Exchange): RowOf<typeof tlsExchangeColumns> {
  const { tlsMs, protocol } = exchange;
  return { ...exchangeCells(exchange), tlsMs, protocol };
}
