import { column } from "../../record/mod.ts";

const variant = column.text("what the load was: its arm");

/** Responses, by the hundreds of their status; a final one has no status below 200. */
const answeredColumns = {
  answered2xx: column.count("responses with a status from 200 to 299"),
  answered3xx: column.count("responses with a status from 300 to 399"),
  answered4xx: column.count("responses with a status from 400 to 499"),
  answered5xx: column.count("responses with a status from 500 to 599"),
  answeredOther: column.count("responses with any other status"),
};

/**
 * The raw tables of loads: a row a load; a row a second of it; a row a kind of failure; a row a process of the client
 * that died; where asked for, a row a request.
 */
export const loadTables = {
  loads: {
    variant,
    sent: column.count("requests that began"),
    unsent: column.count("requests whose time came while no connection was free, and that never began"),
    ...answeredColumns,
    failed: column.count("requests that failed"),
    unfinished: column.count("requests that were on their way at the end"),
    fresh: column.count("requests for which a connection was opened, failed ones included; empty for fetch"),
    reused: column.count("requests over a connection that had carried one before; empty for fetch"),
    bodyBytes: column.bytes("bytes of bodies that came"),
    elapsedMs: column.ms("how long it lasted"),
    lastEndMs: column.ms("when the last request ended, since it began; 0 when none did"),
    connections: column.count("connections that were open at once, at most; empty for fetch"),
    cpuShare: column.ratio(
      "share of a processor that the busiest thread of the client had; empty where not told",
    ),
    waitShare: column.ratio(
      "share of the time in which a thread of the client was ready and had no processor; empty where not told",
    ),
    lateness: column.text("actual - intended start of each request of an open loop: HDR histogram, in µs"),
    timerLateness: column.text("the same from when its connection was free, where that was later"),
  },
  seconds: {
    variant,
    second: column.count("which second, from 0"),
    sent: column.count("requests that began in it"),
    ...answeredColumns,
    failed: column.count("requests that failed in it"),
    bodyBytes: column.bytes("bytes of bodies that came in it"),
    service: column.text(
      "times from the actual start of the requests answered in it: HDR histogram (V2, compressed, base64), in µs",
    ),
    response: column.text("the same from the intended start"),
  },
  failures: {
    variant,
    failurePhase: column.text("phase in which requests failed"),
    failureKind: column.text("kind of the failure"),
    failureSide: column.text("whose limit or fault the failure is"),
    count: column.count("requests that failed so"),
  },
  lost: {
    variant,
    shard: column.count("process of the client that died, from 0: what it did is in no table"),
    reason: column.text("what became of it"),
  },
};

/** See {@linkcode loadTables}. */
export type LoadTables = typeof loadTables;

/** The row of every request, where they are kept. */
export const requestColumns = {
  shard: column.count("process of the client, from 0"),
  thread: column.count("thread of that process, from 0"),
  connection: column.count("place of the connection in the thread, from 0"),
  fresh: column.flag("whether the connection was opened for it; empty for fetch"),
  intendedMs: column.ms("when it should have begun, since the load began"),
  startMs: column.ms("when it began"),
  endMs: column.ms("when its response was whole, or it failed; empty when it was unfinished at the end"),
  status: column.count("HTTP status code; empty without one"),
  failurePhase: column.text("phase of the failure; empty when there was none"),
  failureKind: column.text("kind of the failure; empty when there was none"),
  failureSide: column.text("whose limit or fault it was; empty when there was none"),
};
