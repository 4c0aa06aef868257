import type { RowOf, Warning } from "../../record/mod.ts";
import { describeUnanswered } from "../_shared/unanswered.ts";
import { type Asked, Visitor } from "../_shared/visitor.ts";
import { WatchedConnection } from "../_shared/watched_connection.ts";
import type { MeasureContext } from "../contract.ts";
import type { Values } from "./params.ts";
import { bracketOf, nextPauses, type Trial } from "./search.ts";
import { type Subject, subjectOf } from "./subject.ts";
import type { Tables } from "./tables.ts";

const PROGRESS_INTERVAL_MS = 500;

/** How long a connection and its first answer may take at most, in milliseconds. */
const ANSWER_LIMIT_MS = 10_000;

/** How long an answer may take at least before it counts as none, in milliseconds. */
const LEAST_PATIENCE_MS = 1000;

/** After so many times what the slowest first answer took, an answer counts as none. */
const PATIENCE_FACTOR = 20;

const LOOPBACK: Warning = {
  code: "loopback",
  message: "Client and server share this machine: what stands between them on a network, and may forget an " +
    "idle connection sooner than the server closes it, is not in this limit",
  remedy: "Probe the server from where its clients are (--target, --allow-remote)",
};

type Row = RowOf<Tables["connections"]>;

/** A connection whose request was answered, and which is now idle. */
interface Held {
  readonly connection: WatchedConnection;
  readonly row: Row;
  readonly sinceMs: number;
  readonly answerMs: number;
}

/** What is known of a connection when it begins. */
const NOTHING: Omit<Row, "role" | "round" | "order" | "startMs"> = {
  ...{ connectMs: null, tlsMs: null, answerMs: null, status: null, advertisedMs: null, announcedClose: null },
  ...{ pauseMs: null, idleMs: null, outcome: null, closedHow: null, endMs: null, clientPort: null },
  ...{ failurePhase: null, failureKind: null, failureSide: null },
};

/**
 * Probes how long a server keeps an idle connection. Half of the connections make their request at once and
 * are then watched: a server that closes them shows its limit. The other half is idle first and makes its
 * request after a pause, each another one, and the pauses close in on the limit of whatever forgets an idle
 * connection without a sign. No connection carries more than one request.
 *
 * A listener that is woken by data only (tcp(7), TCP_DEFER_ACCEPT) may drop who asks late, and is not told from
 * what forgets: the limit that is found is then lower than that of a connection that has asked, on the safe side.
 *
 * A server that goes away ends its connections too, or answers none any more. So the probe ends with a fresh
 * connection: only when that is answered was what it saw a limit, or that there is none.
 *
 * @param params the parameters
 * @param context where rows and progress go
 * @throws {Error} the server does not answer, or does not any more when the probe ends
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const subject = subjectOf(params, context.servers.origin);
  if (subject.loopback) context.warn(LOOPBACK);
  await new Probe(params, context, subject).run();
}

class Probe {
  readonly #context: MeasureContext<Tables>;
  readonly #subject: Subject;
  readonly #visitor: Visitor;
  readonly #connections: { readonly asking: number; readonly waiting: number };
  readonly #budgetMs: number;
  readonly #endMs: number;
  readonly #found = new AbortController();
  /** Aborts when there is nothing more to find out, or the run is to stop. */
  readonly #over: AbortSignal;
  #patienceMs = LEAST_PATIENCE_MS;

  constructor({ budget, connections }: Values, context: MeasureContext<Tables>, subject: Subject) {
    const { now, signal } = context;
    this.#context = context;
    this.#subject = subject;
    this.#visitor = new Visitor(subject, now, signal);
    this.#connections = { asking: Math.ceil(connections / 2), waiting: Math.floor(connections / 2) };
    this.#budgetMs = budget;
    this.#endMs = now() + budget;
    this.#over = AbortSignal.any([signal, this.#found.signal]);
  }

  async run(): Promise<void> {
    const held = await this.#open();
    let open = held.length;
    const watching = Promise.all(held.map((one) => this.#watch(one).then(() => open--)));
    const show = () => {
      const text = `${open} of ${held.length} connections are still open`;
      this.#context.progress(this.#budgetMs - this.#leftMs(), this.#budgetMs, text);
    };
    const ticking = setInterval(show, PROGRESS_INTERVAL_MS);
    try {
      await Promise.all([
        // No pause that outlives every connection needs a search.
        watching.then(() => this.#found.abort()),
        this.#search(held).then((isFound) => isFound && this.#found.abort()),
      ]);
    } finally {
      clearInterval(ticking);
    }
    if (this.#context.signal.aborted) return;
    await this.#askLast();
    if (!this.#context.signal.aborted) this.#context.progress(1, 1, "done");
  }

  /** @throws {Error} a fresh connection is not answered */
  async #askLast(): Promise<void> {
    const limitMs = Math.min(this.#patienceMs, Math.max(LEAST_PATIENCE_MS, this.#leftMs()));
    const { failure, error } = await this.#askFresh(this.#begin("fresh", 0, 1), limitMs);
    if (failure === null || this.#context.signal.aborted) return;
    throw new Error(
      `Cannot tell the idle limit of ${this.#subject.url} as the server answers no more, and may have ended its ` +
        `connections with that: at the end of the probe ${describeUnanswered(failure, error!)}`,
    );
  }

  /** Opens the connections that ask first. @returns those that were answered */
  async #open(): Promise<Held[]> {
    const { signal, warn } = this.#context;
    const held: Held[] = [];
    const failures: Asked[] = [];
    await Promise.all(Array.from({ length: this.#connections.asking }, async (_, place) => {
      const made = await this.#askFirst(place + 1);
      if ("connection" in made) held.push(made);
      else failures.push(made);
    }));
    if (signal.aborted) return held;
    const [first] = held;
    if (first === undefined) {
      const { failure, error } = failures[0]!;
      throw new Error(`Cannot probe ${this.#subject.url} as ${describeUnanswered(failure!, error!)}`);
    }
    if (failures.length > 0) {
      warn({
        code: "some-unanswered",
        message: `${failures.length} of ${this.#connections.asking} connections were not answered: ${
          failures[0]!.error
        }`,
        remedy: "Probe with fewer connections (--connections): the server may allow no more",
      });
    }
    if (first.row.status! >= 300) {
      warn({
        code: "target-status",
        message: `The server answers with status ${first.row.status}`,
        remedy: "Name a URL that answers with 200: some servers close after an error",
      });
    }
    const slowestMs = Math.max(...held.map(({ answerMs }) => answerMs));
    this.#patienceMs = Math.min(
      Math.max(LEAST_PATIENCE_MS, PATIENCE_FACTOR * slowestMs),
      ANSWER_LIMIT_MS,
      this.#budgetMs / 4,
    );
    return held;
  }

  async #askFirst(order: number): Promise<Held | Asked> {
    const begun = this.#begin("asks first", 0, order);
    const limitMs = Math.min(ANSWER_LIMIT_MS, this.#budgetMs / 2);
    const deadlineMs = this.#context.now() + limitMs;
    const connection = await this.#visitor.connect(limitMs);
    if (!(connection instanceof WatchedConnection)) return this.#fail(begun, connection);
    const asked = await this.#visitor.ask(connection, Math.max(0, deadlineMs - this.#context.now()));
    const row = { ...begun, ...connectionCells(connection), ...askedCells(asked) };
    if (asked.answerMs !== null) {
      return { connection, row, sinceMs: this.#context.now(), answerMs: asked.answerMs };
    }
    connection.close();
    return this.#fail(row, asked);
  }

  /** Watches an idle connection until the server closes it, or there is nothing more to find out. */
  async #watch({ connection, row, sinceMs }: Held): Promise<void> {
    // What was announced needs no proof: it is watched a while to see how it comes. The last request needs time.
    const limitMs = row.announcedClose ? this.#limitMs() : Math.max(0, this.#leftMs() - this.#patienceMs);
    const { closing, idleMs } = await this.#visitor.idle(connection, {
      limitMs,
      sinceMs,
      signal: this.#over,
    });
    connection.close();
    this.#emit({ ...row, idleMs, closedHow: closing, outcome: closing === null ? "open" : "closed" });
  }

  /** Closes in on a limit that does not show. @returns whether there is one, as narrow as time allows */
  async #search(held: readonly Held[]): Promise<boolean> {
    if (held.every(({ row }) => row.announcedClose)) return false;
    const trials: Trial[] = [];
    for (let round = 1; !this.#over.aborted; round++) {
      // A loss is known after an answer has not come and that on a fresh connection has.
      const longestMs = this.#leftMs() - 2 * this.#patienceMs;
      const pauses = nextPauses(trials, { width: this.#connections.waiting, longestMs });
      const tried = await this.#round(round, pauses);
      if (tried.length === 0) break;
      trials.push(...tried);
    }
    return bracketOf(trials).highMs !== null;
  }

  /** Tries pauses side by side. The first that is not survived ends the round: longer ones tell nothing new. */
  async #round(round: number, pauses: readonly number[]): Promise<Trial[]> {
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#over, lost.signal]);
    const tried = await Promise.all(pauses.map(async (pauseMs, place) => {
      const trial = await this.#waitFirst(
        { ...this.#begin("waits first", round, place + 1), pauseMs },
        signal,
      );
      if (trial?.answered === false) lost.abort();
      return trial;
    }));
    return tried.filter((trial) => trial !== null);
  }

  /** @returns what the pause came to; `null` when it tells nothing */
  async #waitFirst(begun: Row, signal: AbortSignal): Promise<Trial | null> {
    const connection = await this.#visitor.connect(this.#limitMs());
    if (!(connection instanceof WatchedConnection)) {
      this.#fail(begun, connection);
      return null;
    }
    const sinceMs = this.#context.now();
    const limitMs = begun.pauseMs!;
    const { closing, idleMs } = await this.#visitor.idle(connection, { limitMs, sinceMs, signal });
    const row = { ...begun, ...connectionCells(connection), idleMs };
    if (closing !== null || signal.aborted) {
      connection.close();
      this.#emit({ ...row, closedHow: closing, outcome: closing === null ? "open" : "closed" });
      return null;
    }
    const asked = await this.#visitor.ask(connection, this.#limitMs());
    connection.close();
    if (this.#context.signal.aborted) return null;
    const answered = asked.failure === null;
    const tells = answered || await this.#isAlive(this.#begin("fresh", begun.round!, begun.order!));
    const outcome = answered ? "answered" : tells ? "lost" : "failed";
    this.#emit({ ...row, ...askedCells(asked), outcome });
    return tells ? { pauseMs: idleMs, answered } : null;
  }

  /** Only when a fresh connection is answered was it the pause that lost the other one. */
  async #isAlive(begun: Row): Promise<boolean> {
    return (await this.#askFresh(begun, this.#limitMs())).failure === null;
  }

  /** Asks on a fresh connection. */
  async #askFresh(begun: Row, limitMs: number): Promise<Asked> {
    const deadlineMs = this.#context.now() + limitMs;
    const connection = await this.#visitor.connect(limitMs);
    if (!(connection instanceof WatchedConnection)) return this.#fail(begun, connection);
    const asked = await this.#visitor.ask(connection, Math.max(0, deadlineMs - this.#context.now()));
    connection.close();
    const row = { ...begun, ...connectionCells(connection), ...askedCells(asked) };
    if (asked.failure !== null) return this.#fail(row, asked);
    this.#emit({ ...row, outcome: "answered" });
    return asked;
  }

  /** How long an answer is waited for, within what is left of the budget. */
  #limitMs(): number {
    return Math.min(this.#patienceMs, this.#leftMs());
  }

  #leftMs(): number {
    return Math.max(0, this.#endMs - this.#context.now());
  }

  #begin(role: string, round: number, order: number): Row {
    return { ...NOTHING, role, round, order, startMs: this.#context.now() };
  }

  /** Records a connection that failed; what the end of the run cut is no failure. */
  #fail(row: Row, asked: Asked): Asked {
    if (!this.#context.signal.aborted) this.#emit({ ...row, ...askedCells(asked), outcome: "failed" });
    return asked;
  }

  #emit(row: Row): void {
    this.#context.emit("connections", { ...row, endMs: this.#context.now() });
  }
}

function connectionCells({ connectMs, tlsMs, localPort }: WatchedConnection): Partial<Row> {
  return { connectMs, tlsMs, clientPort: localPort };
}

function askedCells({ answerMs, status, advertisedMs, announcedClose, failure }: Asked): Partial<Row> {
  return {
    ...{ answerMs, status, advertisedMs, announcedClose },
    failurePhase: failure?.phase ?? null,
    failureKind: failure?.kind ?? null,
    failureSide: failure?.side ?? null,
  };
}
