import { column } from "../../record/mod.ts";

const variant = column.text("the arm: base as the run was asked for, else in what it differs from that");

/**
 * The raw tables: a row an arm; a row a connection, or a series of tries that failed alike; sockets in TIME_WAIT
 * over time; a row a socket that was followed to its end; a row a failure that was provoked.
 */
export const tables = {
  arms: {
    variant,
    low: column.count("first port of its private range"),
    ports: column.count("size of the range"),
    reserved: column.text("ports that the system does not give away; empty when there are none"),
    reuse: column.count("net.ipv4.tcp_tw_reuse"),
    destinations: column.count("addresses that were connected to, in turn"),
    sources: column.count("addresses that were connected from, in turn"),
    bind: column.text("bind() before connect(): none, first (with a port at once) or no-port"),
    reuseAddress: column.flag("whether the client set SO_REUSEADDR"),
    closes: column.text("the side that closed first"),
    linger0: column.flag("whether it reset the connection (SO_LINGER 0)"),
    timeWaitPresetMs: column.ms("how long TIME_WAIT lasts on this system, as it says"),
    closed: column.count("connections that were open at once, and then closed"),
    timeWaitClient: column.count("sockets that they left in TIME_WAIT on the client's side"),
    timeWaitServer: column.count("sockets that they left in TIME_WAIT on the server's side"),
  },
  attempts: {
    variant,
    stage: column.text("hold: opened until no port was left; turnover: opened and closed at a steady pace"),
    order: column.count("place of the try, the first one of a series, within its arm and stage, from 0"),
    tries: column.count("tries that the row stands for: 1, or a series that failed alike"),
    startMs: column.ms("when it began, since the measurement began"),
    lastMs: column.ms("when the last try of a series began; empty for a connection"),
    source: column.count("N of the client's address, 127.0.0.N; empty when the try failed"),
    port: column.count("the client's port; empty when the try failed"),
    destination: column.count("N of the server's address, 127.0.1.N; empty when the try failed"),
    failurePhase: column.text("phase in which it failed; empty when it did not"),
    failureKind: column.text("kind of the failure; empty when there was none"),
    failureSide: column.text("whose limit or fault the failure is; empty when there was none"),
  },
  timewait: {
    variant,
    seenMs: column.ms("when they were counted, since the measurement began"),
    client: column.count("sockets in TIME_WAIT on the client's side, during its turnover"),
    server: column.count("sockets in TIME_WAIT on the server's side"),
  },
  followed: {
    order: column.count("place of the connection, from 0"),
    side: column.text("the side that closed first, and whose socket was followed"),
    port: column.count("the client's port"),
    closedMs: column.ms("when it was closed, since the measurement began"),
    lastSeenMs: column.ms("when its socket was last seen in TIME_WAIT; empty when it never was"),
    goneMs: column.ms("when it was first seen to be gone; empty when it was not"),
  },
  provoked: {
    provocation: column.text("what was done"),
    expectedKind: column.text("the kind of failure that it must come to"),
    failurePhase: column.text("phase in which it failed; empty when it did not"),
    failureKind: column.text("kind of the failure; empty when there was none"),
    failureSide: column.text("whose limit or fault it is; empty when there was none"),
    remedy: column.text("what can be done about it; empty when there was none"),
    reason: column.text("why it was not provoked; empty when it was"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
