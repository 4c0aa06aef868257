import { column } from "../../record/mod.ts";
import { labelsColumn } from "../_shared/labels.ts";

/**
 * The raw tables: a row a pair of requests as its client saw it, kept as soon as the pair is over; everything that
 * the server received; everything that the middlebox carried; what these three together tell of each pair;
 * connections held until the server ended them; the chains and what is said of them.
 */
export const tables = {
  pairs: {
    variant: column.text("chain, client and method"),
    pauseMs: column.ms("the pause between the two requests, as it was meant"),
    repeat: column.count("place among the pairs of this variant and pause, from 1"),
    id: column.count("number of the second request at the server; the first one's is one less"),
    firstElapsedMs: column.ms("time of the first request, which opens the connection"),
    firstFailureKind: column.text("why the first request failed; empty when it did not"),
    idleMs: column.ms("how long the connection was idle when the second request began"),
    noticed: column.text(
      "fin or reset, when the client had seen the connection end by then, else none; empty for fetch, which does not show it",
    ),
    startMs: column.ms(
      "when the second request began, since the measurement began; empty when there was none",
    ),
    elapsedMs: column.ms("time of the second request, or until it failed"),
    status: column.count("HTTP status code of the second request; empty when no response came"),
    failurePhase: column.text("phase in which the second request failed; empty when it did not"),
    failureKind: column.text("kind of the failure; empty when there was none"),
    failureSide: column.text("whose limit or fault the failure is; empty when there was none"),
    labels: labelsColumn,
    reused: column.flag(
      "whether the second request was sent on the kept connection; empty for fetch, which does not tell",
    ),
    ageMs: column.ms(
      "age of the kept connection when it was used again; empty when it was not, and for fetch",
    ),
    attempts: column.count(
      "how often the second request was sent; empty when there was none, and for fetch, which does not tell",
    ),
  },
  fates: {
    id: column.count("number of the second request of the pair"),
    firstReceived: column.count("how often the server received the first request"),
    received: column.count("how often the server received the second request"),
    sameConnection: column.flag(
      "whether the server received both on one connection; empty when it did not receive both",
    ),
    retried: column.count(
      "how often the second request was sent again (fetch: by what the server received, as fetch does not tell)",
    ),
    forgotten: column.flag(
      "whether the middlebox had forgotten the connection by the second request; empty without a middlebox",
    ),
    closedBy: column.text(
      "who had ended the kept connection first by the second request; empty when nobody was seen to",
    ),
    closedHow: column.text("fin, reset or none (nobody was told); empty when nobody was seen to end it"),
    outcome: column.text("what became of the second request"),
  },
  visits: {
    id: column.count("number of the request"),
    method: column.text("its method"),
    connection: column.count("the connection, as the server numbers them"),
    clientPort: column.count("the port that it came from"),
    atMs: column.ms("when it came, on the server's clock"),
  },
  flows: {
    clientPort: column.count("the client's port"),
    upstreamPort: column.count("the port from which the middlebox spoke to the server"),
    openedMs: column.ms("when it was opened, on the middlebox's clock"),
    lastMs: column.ms("when something last came from either end"),
    forgottenMs: column.ms("when it was forgotten; empty when it was not"),
    closedBy: column.text("who ended it first; empty when nobody had"),
    how: column.text("fin, reset or none (nobody was told); empty when nobody had ended it"),
    bytesUp: column.bytes("bytes that were passed on to the server"),
    bytesDown: column.bytes("bytes that were passed on to the client"),
  },
  limits: {
    chain: column.text("the chain"),
    repeat: column.count("place among the connections that were held, from 1"),
    advertisedMs: column.ms("what Keep-Alive: timeout= said; empty when it was not sent"),
    observedMs: column.ms("when the client saw the idle connection end; empty when it saw none"),
    how: column.text("fin, reset, or answer (one that nobody had asked for); empty when no end was seen"),
    watchedMs: column.ms("how long it was watched; empty when it had not been answered"),
    failureKind: column.text("why it had not been answered; empty when it had"),
  },
  chains: {
    chain: column.text("the chain"),
    measured: column.flag("whether it is one of this run's; the others are judged from data alone"),
    path: column.text("its hops with their idle limits"),
    verdict: column.text("safe, racy or unsafe, by the limits alone"),
    unsafeHop: column.text("the hop whose limit is too short; empty when none is"),
    safeValues: column.text("what makes it safe; empty when it is"),
    source: column.text("where its limits are documented; empty for this run's"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
