import type { Warning } from "../../record/mod.ts";
import { pause } from "../../system/mod.ts";
import {
  type Client,
  type ClientOptions,
  type ClientVariant,
  type Exchange,
  openClient,
} from "../../transport/mod.ts";
import { tlsExchangeCells } from "../_shared/exchange_columns.ts";
import { warnOfLabels } from "../_shared/labels.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { roundCells } from "../_shared/round_columns.ts";
import { countRound } from "../_shared/round_counts.ts";
import { takeTurns, timeRequests, type Turn } from "../_shared/rounds.ts";
import { SocketLedger } from "../_shared/socket_ledger.ts";
import type { Destination, ServerCount, Subject } from "../_shared/subject.ts";
import { endInTime } from "../_shared/target_time.ts";
import { describeUnanswered } from "../_shared/unanswered.ts";
import { warnOfOther } from "../_shared/unknown_failure.ts";
import type { MeasureContext } from "../contract.ts";
import { roundsMs } from "./budget.ts";
import type { Values } from "./params.ts";
import { DelayedArms } from "./delayed_arms.ts";
import { protocolCells, tlsCells } from "./round_cells.ts";
import { type Routes, routesOf } from "./routes.ts";
import { delaysOverTls } from "./stack.ts";
import type { Tables } from "./tables.ts";
import { measuredVariants, partsOf, type Variant } from "./variants.ts";

/** How long the server is given to see the end of a round's connections, in milliseconds. */
const GONE_MS = 200;

const POLL_MS = 5;

const UNREAD = "The socket table was not read, as the server or the client counts connections";

/** RFC 896 on one side, the delayed acknowledgements of tcp(7) on the other. */
const NAGLE: Warning = {
  code: "nagle",
  message: "Deno.serve leaves Nagle's algorithm on over TLS, not over plain connections: " +
    "the first response on a connection may wait 40 ms for a delayed acknowledgement",
  remedy: "Measure over HTTP/1.1 with --stack node to see what TLS alone adds",
};

/**
 * Measures rounds of requests, over TLS and over plain connections, a new connection each against one kept,
 * in an order drawn anew for every round; the first round is discarded.
 *
 * @param params the parameters
 * @param context where rows and progress go
 * @throws {Error} a target, or the first request of a variant, is not answered
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const routes = await routesOf(params, context);
  if (Object.values(routes).some(({ subject }) => subject.local)) context.warn(LOOPBACK);
  if (delaysOverTls(params)) context.warn(NAGLE);
  const makeRounds = async (context: MeasureContext<Tables>) => {
    const measurement = new Measurement(params, context, routes);
    await takeTurns({
      variants: measuredVariants(params),
      rounds: params.rounds,
      measure: (turn: Turn<Variant>) => measurement.take(turn),
    }, context);
    measurement.warnOfDelays();
  };
  await (params.target === null ? makeRounds(context) : endInTime(roundsMs(params), context, makeRounds));
}

class Measurement {
  readonly #params: Values;
  readonly #context: MeasureContext<Tables>;
  readonly #routes: Routes;
  readonly #ledger = new SocketLedger();
  readonly #delayed = new DelayedArms();

  constructor(params: Values, context: MeasureContext<Tables>, routes: Routes) {
    this.#params = params;
    this.#context = context;
    this.#routes = routes;
  }

  async take(turn: Turn<Variant>): Promise<void> {
    const { requests } = this.#params;
    const { variant, round } = turn;
    const { transport, client: kind, mode } = partsOf(variant);
    const route = this.#routes[transport]!;
    const { subject } = route;
    const destination = subject.next();
    // Reading the table takes longer than many a round, as every connection of a run is in it for a minute.
    const byTable = kind === "fetch" && !route.countsConnections;
    if (byTable) this.#ledger.begin(destination);
    const startMs = this.#context.now();
    // The signal is not handed on: a request under way is finished, so that its row is whole.
    const client = this.#open(variant, destination, route.client);
    if (round === 0) return await this.#warmUp(variant, client);
    // The lab's own servers tell what connections they had, and raw does.
    const look = byTable && mode === "shared" && this.#params.target !== null
      ? () => this.#ledger.onlyPort(destination)
      : undefined;
    const timed = await timeRequests(client, requests, this.#context, look);
    const { exchanges, elapsedMs } = timed;
    this.#emitRequests(turn, exchanges);
    if (exchanges.length < requests) return;
    const left = byTable ? await this.#ledger.settle(destination) : UNREAD;
    const server = await countWhenGone(subject, destination);
    const { connections } = countRound({
      ...{ ...timed, requests, server, left, local: subject.local },
      keepsConnection: mode === "shared",
      serverPort: destination.port,
    }, this.#context.environment);
    this.#context.emit("rounds", {
      ...roundCells(turn, { startMs, elapsedMs, exchanges, connections }),
      ...protocolCells({ exchanges, server, spoken: route.spoken }),
      ...tlsCells(variant, server),
    });
  }

  /** Told once all rounds are made, as it takes many requests to tell. */
  warnOfDelays(): void {
    const { warning } = this.#delayed;
    if (warning !== null) this.#context.warn(warning);
  }

  #open(variant: Variant, destination: Destination, options: ClientOptions): Client {
    const { client, mode } = partsOf(variant);
    return openClient(`${client}/${mode}` as ClientVariant, destination, {
      ...options,
      path: destination.path,
      now: () => this.#context.now(),
    });
  }

  /** What no variant can do is told at its first request, and not as thousands of rows. */
  async #warmUp(variant: Variant, client: Client): Promise<void> {
    const { failure, error } = await client.request();
    if (failure !== null) {
      client.close();
      throw new Error(
        `Cannot measure ${variant} as at its first request ${describeUnanswered(failure, error!)}`,
      );
    }
    await timeRequests(client, this.#params.requests - 1, this.#context);
  }

  #emitRequests({ variant, round }: Turn<Variant>, exchanges: readonly Exchange[]): void {
    warnOfLabels(exchanges, this.#context);
    for (const [order, exchange] of exchanges.entries()) {
      this.#context.emit("requests", { variant, round, order, ...tlsExchangeCells(exchange) });
      warnOfOther(exchange, this.#context);
      if (exchange.failure === null) this.#delayed.add(variant, exchange);
    }
  }
}

/** What the server counted, once it says that a round's connections are closed, or has had its time to. */
async function countWhenGone(subject: Subject, destination: Destination): Promise<ServerCount | null> {
  for (const deadlineMs = performance.now() + GONE_MS;; await pause(POLL_MS)) {
    const server = await subject.countAtServer(destination);
    if (!server?.active || performance.now() > deadlineMs) return server;
  }
}
