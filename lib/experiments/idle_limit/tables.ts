import { column } from "../../record/mod.ts";

/** The raw table: a row a connection, in the order in which they ended. Each carried one request at most. */
export const tables = {
  connections: {
    role: column.text(
      "asks first: its request, then idle; waits first: idle, then its request; fresh: its request at once, " +
        "to see that the server still answers",
    ),
    round: column.count("round of the search, from 1; 0 for connections that ask first, and for the last"),
    order: column.count("place within its role and round, from 1"),
    startMs: column.ms("when it began to connect, since the measurement began"),
    connectMs: column.ms("time for the TCP handshake, a name's resolution included"),
    tlsMs: column.ms("time for the TLS handshake; empty on a plain connection"),
    answerMs: column.ms("time from its request to the last byte of the answer; empty without an answer"),
    status: column.count("HTTP status code; empty without an answer"),
    advertisedMs: column.ms("idle limit that the answer advertises (Keep-Alive: timeout=); empty for none"),
    announcedClose: column.flag("whether the answer says that the server closes; empty without an answer"),
    pauseMs: column.ms("how long it was to be idle before its request; empty where the request came first"),
    idleMs: column.ms("how long it was idle: until the server closed, the request, or the end of watching"),
    outcome: column.text(
      "closed: by the server while idle; open: until it was watched no more; answered: after its pause; " +
        "lost: nothing showed, yet its request after the pause failed; failed: before it was idle, or not " +
        "by its idleness",
    ),
    closedHow: column.text("fin, reset, or answer (one that nobody had asked for); empty unless closed"),
    endMs: column.ms("when it was over, since the measurement began"),
    clientPort: column.count("the client's port; empty where there was no connection"),
    failurePhase: column.text("phase in which its request failed; empty when it did not"),
    failureKind: column.text("kind of the failure; empty when there was none"),
    failureSide: column.text("whose limit or fault the failure is; empty when there was none"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
