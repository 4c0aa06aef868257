import { column } from "../../record/mod.ts";

/**
 * The raw tables: a row a request; a row a round and variant, counted when its connections were gone; a
 * row a socket that a round left behind; the run's sockets in TIME_WAIT over time.
 */
export const tables = {
  requests: {
    variant: column.text("client and whether it keeps its connection"),
    round: column.count("round, from 1"),
    order: column.count("place of the request within its round and variant, from 0"),
    startMs: column.ms("when it began, since the measurement began"),
    clientMs: column.ms("time to construct the HTTP client; empty where none was constructed"),
    connectMs: column.ms(
      "time to connect; empty on a kept connection, and for fetch, which does not show it",
    ),
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
  },
  rounds: {
    round: column.count("round, from 1"),
    place: column.count("place of the variant within its round, from 0, drawn from the seed"),
    variant: column.text("client and whether it keeps its connection"),
    startMs: column.ms("when it began, since the measurement began"),
    elapsedMs: column.ms("time for all requests of the round, closing of each new connection included"),
    requests: column.count("requests made"),
    failed: column.count("requests that failed"),
    connections: column.count("connections that the server, or for a target the client, counted"),
    connectionsReason: column.text("why connections were not counted; empty when they were"),
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
