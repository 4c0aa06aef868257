import { column } from "../../record/mod.ts";

const variant = column.text(
  "the variant: a path with its number of clients, such as pooled/100; or what is shown",
);
const round = column.count(
  "the round, from 1; 0 is the one that warms up, whose requests are in no other table",
);

/**
 * The raw tables: a row a load and a second of it; a row a kind of failure; a row a proxy and round with what it counted; the
 * sockets over time; what the client was told where ports ran short, in order; a row a round after a pause; a row a
 * look at the connections of five clients.
 */
export const tables = {
  loads: {
    variant,
    path: column.text("direct, naive (a proxy without a pool) or pooled"),
    clients: column.count("connections of the client, at most"),
    round,
    place: column.count("place within the round among the paths with as many clients, from 0"),
    sent: column.count("requests that began"),
    unsent: column.count("requests whose time came while no connection was free, and that never began"),
    answered2xx: column.count("responses with a status from 200 to 299"),
    answeredOther: column.count("responses with another status"),
    failed: column.count("requests that failed at the client"),
    unfinished: column.count("requests that were on their way at the end"),
    opened: column.count("requests for which the client opened a connection"),
    elapsedMs: column.ms("how long it lasted"),
    cpuShare: column.ratio("share of a processor that the client had; empty where not told"),
    waitShare: column.ratio(
      "share of the time in which the client was ready and had no processor; empty where not told",
    ),
  },
  seconds: {
    variant,
    round,
    second: column.count("which second of the load, from 0"),
    answered2xx: column.count("responses in it with a status from 200 to 299"),
    service: column.text("times of the responses in it: HDR histogram (V2, compressed, base64), in µs"),
  },
  failures: {
    variant,
    round,
    seenBy: column.text("client, or proxy: what it answers its client as 502, 503 or 504"),
    failurePhase: column.text("phase in which requests failed"),
    failureKind: column.text("kind of the failure"),
    failureSide: column.text(
      "whose limit or fault it is, as seen from there: a proxy is the client of its backend",
    ),
    count: column.count("requests that failed so"),
  },
  proxies: {
    variant,
    round,
    requests: column.count("requests that came to the proxy in the round"),
    passed: column.count("answers of the backend that it passed on"),
    opened: column.count("connections to its backends that it opened"),
    failedToOpen: column.count("connections to its backends that it could not open"),
    reused: column.count("times that it used a connection again"),
    staleWrites: column.count("kept connections on which the request could not be written"),
    staleReads: column.count(
      "kept connections that ended before a byte of the answer, the request being written",
    ),
    retriedWrites: column.count("requests sent once more after the former"),
    retriedReads: column.count("requests sent once more after the latter"),
  },
  sockets: {
    variant,
    loadedMs: column.ms(
      "when they were counted: how long the variant had been loaded, in its rounds together",
    ),
    hop: column.text("client-proxy, proxy-backend or client-backend"),
    end: column.text("near: at the end that opened the connection; far: at the one that accepted it"),
    state: column.text("their state"),
    count: column.count("how many they were"),
  },
  shortages: {
    variant,
    ports: column.count("ports of the private range"),
    timeWaitMs: column.ms("how long TIME_WAIT lasts on this system, as it says"),
    ratePerSecond: column.rate("requests that were to begin in a second"),
    durationMs: column.ms("how long they were to begin"),
    systemPorts: column.count(
      "ports of the range as the system gives it to a network, without the private one",
    ),
  },
  outcomes: {
    variant,
    order: column.count("place of the request, or the first one of a series that came to the same, from 0"),
    requests: column.count("requests that the row stands for"),
    firstMs: column.ms("when the first of them began, since the load began"),
    lastMs: column.ms("when the last of them began"),
    status: column.count("HTTP status code; empty without one"),
    failureKind: column.text("kind of the failure at the client; empty when there was none"),
  },
  pauses: {
    variant,
    round,
    pauseMs: column.ms("how long connections were idle before, at the least; 0 before the first round"),
    requests: column.count("requests that were made at once, one a client"),
    answered: column.count("those that were answered with 200"),
    failed: column.count("those that failed, or were answered with another status"),
  },
  hops: {
    variant,
    requests: column.count("requests so far, one a client, whose connections are kept"),
    status: column.count("status of the last one; empty without an answer"),
    clientConnections: column.count("established connections to the proxy, by the socket table"),
    backendConnections: column.count(
      "established connections from the proxy to its backend, by the socket table",
    ),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
