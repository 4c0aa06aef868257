import { column } from "../../record/mod.ts";
import { tlsExchangeColumns } from "../_shared/exchange_columns.ts";
import { roundColumns } from "../_shared/round_columns.ts";

const VARIANT = column.text("what carries it, the client, and whether it keeps its connection");

/** The raw tables: a row a request; a row a round and variant, counted when its connections were gone. */
export const tables = {
  requests: {
    variant: VARIANT,
    round: column.count("round, from 1"),
    order: column.count("place of the request within its round and variant, from 0"),
    ...tlsExchangeColumns,
  },
  rounds: {
    ...roundColumns,
    variant: VARIANT,
    protocol: column.text("protocol that requests were made over: http/1.1 or h2"),
    protocolReason: column.text("why the protocol is not known; empty when it is"),
    tlsVersion: column.text(
      "version of TLS that the server saw, such as TLSv1.3; several with a space between; empty for plain variants",
    ),
    tlsVersionReason: column.text("why the version of TLS is not known; empty when it is"),
    handshakesFull: column.count("full TLS handshakes that the server counted; empty for plain variants"),
    handshakesResumed: column.count("TLS handshakes that resumed a session, counted by the server"),
    handshakesReason: column.text("why handshakes were not counted; empty when they were"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
