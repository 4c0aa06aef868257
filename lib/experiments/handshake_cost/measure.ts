import type { Warning } from "../../record/mod.ts";
import { shuffle } from "../../stats/mod.ts";
import { pause } from "../../system/mod.ts";
import {
  type Client,
  CLIENT_VARIANTS,
  type ClientVariant,
  type Exchange,
  openClient,
} from "../../transport/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { countRound, type RoundCounts } from "./count.ts";
import type { Values } from "./params.ts";
import { type LeftSockets, SocketLedger } from "./socket_ledger.ts";
import { type Destination, OriginSubject, type Subject, TargetSubject } from "./subject.ts";
import type { Tables } from "./tables.ts";

const WATCH_INTERVAL_MS = 1000;

const LOOPBACK: Warning = {
  code: "loopback",
  message: "Client and server share this machine, and over loopback a round trip takes microseconds: " +
    "a network's handshakes cost more",
  remedy: "Measure a server of your own at a distance (--target) to see what round trips add",
};

/** How much longer than the platform's time TIME_WAIT is watched, in milliseconds. */
export const WATCH_MARGIN_MS = 30_000;

/** One round of one variant. */
interface Round {
  readonly round: number;
  readonly place: number;
  readonly variant: ClientVariant;
}

/**
 * The variants that a run compares.
 *
 * @param client the clients that were asked for
 * @returns the variants
 */
export function variantsOf(client: Values["client"]): readonly ClientVariant[] {
  return CLIENT_VARIANTS.filter((variant) => client === "both" || variant.startsWith(`${client}/`));
}

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
    ? new OriginSubject(context.servers.origin!, params.bodyBytes)
    : await knock(params.target, context);
  if (subject.local) context.warn(LOOPBACK);
  await new Measurement(params, context, subject).run();
}

/** A target that does not answer is told at once, and not as thousands of rows. */
async function knock(target: string, context: MeasureContext<Tables>): Promise<Subject> {
  let subject: Subject;
  try {
    subject = await TargetSubject.find(target);
  } catch (error) {
    throw new Error(`Cannot measure ${target} as it takes no connection: ${(error as Error).message}`);
  }
  const destination = subject.next();
  using client = openClient("raw/new", destination, { path: destination.path });
  const { failure, error, status } = await client.request();
  if (failure) throw new Error(`Cannot measure ${target} as the first request failed: ${error}`);
  if (status! >= 300) {
    context.warn({
      code: "target-status",
      message: `The target answers with status ${status}`,
      remedy: "Name a URL that answers with 200, unless it is this answer that you want to measure",
    });
  }
  return subject;
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
    const { signal, random, progress } = this.#context;
    const variants = variantsOf(this.#params.client);
    const total = (this.#params.rounds + 1) * variants.length;
    let done = 0;
    for (let round = 0; round <= this.#params.rounds; round++) {
      for (const [place, variant] of shuffle(variants, random).entries()) {
        await this.#round({ round, place, variant });
        if (signal.aborted) return;
        progress(++done, total, round === 0 ? "warming up" : `round ${round}, ${variant}`);
      }
    }
    if (this.#params.watchTimeWait) await this.#watch();
  }

  async #round(at: Round): Promise<void> {
    const { variant } = at;
    const destination = this.#subject.next();
    this.#ledger.begin(destination);
    const startMs = this.#context.now();
    // The signal is not handed on: a request under way is finished, so that its row is whole.
    const client = openClient(variant, destination, {
      path: destination.path,
      now: () => this.#context.now(),
    });
    const { value: exchanges, elapsedMs } = await this.#context.timed(() => this.#requests(client));
    const opened = client.connections;
    client.close();
    if (at.round === 0) return;
    this.#emitRequests(at, exchanges);
    if (exchanges.length < this.#params.requests) return;
    const left = await this.#ledger.settle(destination);
    const seenMs = this.#context.now();
    const { local } = this.#subject;
    const counts = countRound({
      ...{
        variant,
        requests: exchanges.length,
        elapsedMs,
        opened,
        left,
        local,
        serverPort: destination.port,
      },
      server: await this.#subject.countAtServer(destination),
    }, this.#context.environment);
    this.#emitRound(at, startMs, elapsedMs, exchanges, counts);
    if (typeof left === "string") return;
    this.#emitSockets(at, destination, left, seenMs);
    this.#emitTimeWait();
  }

  async #requests(client: Client): Promise<Exchange[]> {
    const { signal } = this.#context;
    const exchanges: Exchange[] = [];
    while (exchanges.length < this.#params.requests && !signal.aborted) {
      exchanges.push(await client.request());
    }
    return exchanges;
  }

  #emitRequests({ variant, round }: Round, exchanges: readonly Exchange[]): void {
    for (const [order, exchange] of exchanges.entries()) {
      const {
        startMs,
        clientMs,
        connectMs,
        sendMs,
        waitMs,
        receiveMs,
        elapsedMs,
        status,
        bodyBytes,
        failure,
      } = exchange;
      this.#context.emit("requests", {
        variant,
        round,
        order,
        startMs,
        clientMs,
        connectMs,
        sendMs,
        waitMs,
        receiveMs,
        elapsedMs,
        status,
        bodyBytes,
        clientPort: exchange.localPort,
        failurePhase: failure?.phase ?? null,
        failureKind: failure?.kind ?? null,
        failureSide: failure?.side ?? null,
      });
      if (failure?.kind === "other") this.#warnOther(exchange.error);
    }
  }

  #warnOther(error: string | null): void {
    this.#context.warn({
      code: "unknown-failure",
      message: `A request failed in a way that the lab does not know: ${error}`,
      remedy: "Please report the message",
    });
  }

  #emitRound(
    { round, place, variant }: Round,
    startMs: number,
    elapsedMs: number,
    exchanges: readonly Exchange[],
    { connections, timeWaitClient, timeWaitServer }: RoundCounts,
  ): void {
    this.#context.emit("rounds", {
      round,
      place,
      variant,
      startMs,
      elapsedMs,
      requests: exchanges.length,
      failed: exchanges.filter(({ failure }) => failure !== null).length,
      connections: connections.value,
      connectionsReason: connections.reason,
      timeWaitClient: timeWaitClient.value,
      timeWaitServer: timeWaitServer.value,
      timeWaitReason: timeWaitClient.reason ?? timeWaitServer.reason,
    });
  }

  #emitSockets({ round, variant }: Round, { port }: Destination, left: LeftSockets, seenMs: number): void {
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
