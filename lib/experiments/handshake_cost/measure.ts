import { pause } from "../../system/mod.ts";
import { type ClientVariant, type Exchange, openClient } from "../../transport/mod.ts";
import { exchangeCells } from "../_shared/exchange_columns.ts";
import { knock } from "../_shared/knock.ts";
import { warnOfLabels } from "../_shared/labels.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { roundCells } from "../_shared/round_columns.ts";
import { countRound } from "../_shared/round_counts.ts";
import { takeTurns, timeRequests, type Turn } from "../_shared/rounds.ts";
import { type LeftSockets, SocketLedger } from "../_shared/socket_ledger.ts";
import { type Destination, OriginSubject, type Subject } from "../_shared/subject.ts";
import { endInTime } from "../_shared/target_time.ts";
import { warnOfOther } from "../_shared/unknown_failure.ts";
import type { MeasureContext } from "../contract.ts";
import { roundsMs, WATCH_MARGIN_MS } from "./budget.ts";
import type { Values } from "./params.ts";
import type { Tables } from "./tables.ts";
import { variantsOf } from "./variants.ts";

const WATCH_INTERVAL_MS = 1000;

/**
 * Measures rounds of requests, a new connection each against one kept, in an order drawn anew for every
 * round; the first round is discarded.
 *
 * @param params the parameters
 * @param context where rows and progress go
 * @throws {Error} the target does not answer a first request
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const subject = params.target === null
    ? new OriginSubject(context.servers.origin!, params)
    : await knock(params.target, context);
  if (subject.local) context.warn(LOOPBACK);
  await new Measurement(params, context, subject).run();
}

class Measurement {
  readonly #params: Values;
  readonly #context: MeasureContext<Tables>;
  readonly #subject: Subject;
  readonly #ledger = new SocketLedger();

  constructor(params: Values, context: MeasureContext<Tables>, subject: Subject) {
    this.#params = params;
    this.#context = context;
    this.#subject = subject;
  }

  async run(): Promise<void> {
    const { target, watchTimeWait } = this.#params;
    await (target === null
      ? this.#makeRounds(this.#context)
      : endInTime(roundsMs(this.#params), this.#context, (context) => this.#makeRounds(context)));
    if (watchTimeWait && !this.#context.signal.aborted) await this.#watch();
  }

  async #makeRounds(context: MeasureContext<Tables>): Promise<void> {
    const { client, rounds } = this.#params;
    const measure = (turn: Turn<ClientVariant>) => this.#round(turn, context);
    await takeTurns({ variants: variantsOf(client), rounds, measure }, context);
  }

  async #round(at: Turn<ClientVariant>, context: MeasureContext<Tables>): Promise<void> {
    const { variant } = at;
    const destination = this.#subject.next();
    this.#ledger.begin(destination);
    const startMs = this.#context.now();
    // The signal is not handed on: a request under way is finished, so that its row is whole.
    const client = openClient(variant, destination, {
      path: destination.path,
      now: () => this.#context.now(),
    });
    const { requests, target } = this.#params;
    // A server of the lab's own counts connections itself, and raw does.
    const look = target !== null && variant === "fetch/shared"
      ? () => this.#ledger.onlyPort(destination)
      : undefined;
    const timed = await timeRequests(client, requests, context, look);
    const { exchanges, elapsedMs } = timed;
    if (at.round === 0) return;
    this.#emitRequests(at, exchanges);
    if (exchanges.length < requests) return;
    const left = await this.#ledger.settle(destination);
    const seenMs = this.#context.now();
    const { local } = this.#subject;
    const { connections, timeWaitClient, timeWaitServer } = countRound({
      ...{ ...timed, requests, left, local },
      keepsConnection: variant.endsWith("/shared"),
      serverPort: destination.port,
      server: await this.#subject.countAtServer(destination),
    }, this.#context.environment);
    this.#context.emit("rounds", {
      ...roundCells(at, { startMs, elapsedMs, exchanges, connections }),
      timeWaitClient: timeWaitClient.value,
      timeWaitServer: timeWaitServer.value,
      timeWaitReason: timeWaitClient.reason ?? timeWaitServer.reason,
    });
    if (typeof left === "string") return;
    this.#emitSockets(at, destination, left, seenMs);
    this.#emitTimeWait();
  }

  #emitRequests({ variant, round }: Turn<ClientVariant>, exchanges: readonly Exchange[]): void {
    warnOfLabels(exchanges, this.#context);
    for (const [order, exchange] of exchanges.entries()) {
      this.#context.emit("requests", { variant, round, order, ...exchangeCells(exchange) });
      warnOfOther(exchange, this.#context);
    }
  }

  #emitSockets(
    { round, variant }: Turn<ClientVariant>,
    { port }: Destination,
    left: LeftSockets,
    seenMs: number,
  ): void {
    for (const { local, peer, state } of left.entries) {
      const side = local.port === port ? "server" : "client";
      const [own, other] = [local, peer].map((end) => `${end.address}:${end.port}`) as [string, string];
      this.#context.emit("sockets", { round, variant, side, local: own, peer: other, state, seenMs });
    }
  }

  /** Records how many of the run's sockets are in TIME_WAIT; how many there are in all. */
  #emitTimeWait(): number {
    const { client, server } = this.#ledger.inTimeWait();
    const seenMs = this.#context.now();
    this.#context.emit("timewait", { seenMs, client, server: this.#subject.local ? server : null });
    return client + server;
  }

  /** Follows the sockets in TIME_WAIT until there are none. */
  async #watch(): Promise<void> {
    const { environment, signal, now, progress, warn } = this.#context;
    const platformMs = environment.network.timeWaitMs;
    if (this.#ledger.unavailable !== null || platformMs === null) {
      const message = this.#ledger.unavailable ?? "How long TIME_WAIT lasts on this system is not known";
      return warn({
        code: "time-wait-not-watched",
        message,
        remedy: "Measure on Linux to see the socket table",
      });
    }
    const start = now();
    const mostMs = platformMs + WATCH_MARGIN_MS;
    let left = this.#emitTimeWait();
    while (left > 0 && now() - start <= mostMs && !signal.aborted) {
      progress(now() - start, mostMs, `${left} sockets in TIME_WAIT`);
      await pause(WATCH_INTERVAL_MS, signal);
      left = this.#emitTimeWait();
    }
    if (signal.aborted) return;
    if (left === 0) return progress(mostMs, mostMs, "no socket in TIME_WAIT");
    warn({
      code: "time-wait-left",
      message: `${left} sockets were still in TIME_WAIT after ${mostMs / 1000} s`,
      remedy: "See with another run whether this system keeps them longer than it says",
    });
  }
}
