import type { MeasureContext } from "../contract.ts";
import { tlsExchangeCells } from "../_shared/exchange_columns.ts";
import { warnOfLabels } from "../_shared/labels.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { pooledCells } from "../_shared/pooled_columns.ts";
import { warnOfOther } from "../_shared/unknown_failure.ts";
import { type Arm, armsOf, type ClientName, leastMs, type OriginName } from "./arms.ts";
import { type ConcurrentClient, type Made, openConcurrent } from "./clients.ts";
import { connectionsOf, type ListenerCounts } from "./counts.ts";
import type { Bursts } from "./defaults.ts";
import { DefaultsWatch } from "./defaults_watch.ts";
import type { Values } from "./params.ts";
import { observePauses, type Pause } from "./idle_pauses.ts";
import { Listeners } from "./listeners.ts";
import { Relay } from "./relay.ts";
import { type Tables, UNSEEN_POOL } from "./tables.ts";
import { wereAtOnce } from "./at_once.ts";

/** How much longer than the responses that it waits for a request may take, in milliseconds. */
const PATIENCE_MS = 30_000;

/** As many as it takes until a connection is as fast as it gets: the second over HTTP/2 may wait for a late ACK. */
const WARMING_REQUESTS = 2;

/** Listening ports that an origin of the run is asked for: one an arm, and one for each client that is watched. */
export const PORTS_PER_ORIGIN = 12;

/** The servers of a run. */
interface Servers {
  readonly origins: Readonly<Record<OriginName, Listeners>>;
  /** Stands before the origin that speaks HTTP/2, when that is measured, and sees connections without a request. */
  readonly relay: Relay | null;
}

/** A wave of an arm, and what was known when it began. */
interface Wave {
  readonly arm: Arm;
  readonly wave: number;
  readonly listeners: Listeners;
  readonly port: number;
  readonly relay: Relay | null;
  /** Connections that the relay had taken before the arm began. */
  readonly flowsBefore: number;
  readonly client: ConcurrentClient;
  readonly before: ListenerCounts;
}

/**
 * Measures what limits do to a pool, arm by arm, and watches beside it what clients do by default.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  context.warn({
    ...LOOPBACK,
    remedy: "Rely on counts, rounds and shares; see with handshake-cost --target what a connection costs",
  });
  using closing = new DisposableStack();
  const { servers: { relay, ...origins }, prepared } = context;
  const listeners = Object.entries(origins).map(([name, server]) =>
    [name, closing.use(new Listeners(server, name === "plain" ? undefined : prepared.ca))] as const
  );
  await new Measurement(params, context, {
    origins: Object.fromEntries(listeners) as Servers["origins"],
    relay: relay ? new Relay(relay) : null,
  }).run();
}

class Measurement {
  readonly #params: Values;
  readonly #context: MeasureContext<Tables>;
  readonly #servers: Servers;
  readonly #bursts = new Map<ClientName, Bursts>();
  #done = 0;

  constructor(params: Values, context: MeasureContext<Tables>, servers: Servers) {
    this.#params = params;
    this.#context = context;
    this.#servers = servers;
  }

  async run(): Promise<void> {
    const { signal, now } = this.#context;
    const arms = armsOf(this.#params);
    const total = arms.reduce((sum, { waves }) => sum + waves, 0);
    using watch = await DefaultsWatch.start({ listeners: this.#servers.origins.plain, now });
    for (const arm of arms) {
      await this.#arm(arm, total);
      if (signal.aborted) return;
      await watch.use();
    }
    const pauses = await this.#observePauses();
    if (signal.aborted) return;
    const rows = await watch.rows({ bursts: this.#bursts, pauses });
    for (const row of rows) this.#context.emit("defaults", row);
  }

  async #observePauses(): Promise<readonly Pause[]> {
    const { observeIdle: longestMs } = this.#params;
    if (longestMs === 0) return [];
    const { signal, emit, progress } = this.#context;
    progress(0, 1, `idle connections of fetch, for ${longestMs / 1000} s`);
    const { plain } = this.#servers.origins;
    const origin = { hostname: plain.hostname, port: plain.nextPort() };
    const pauses = await observePauses({ origin, longestMs, signal });
    if (signal.aborted) return [];
    for (const row of pauses) emit("pauses", { client: "fetch", ...row });
    return pauses;
  }

  async #arm(arm: Arm, total: number): Promise<void> {
    const { signal, now, progress } = this.#context;
    const listeners = this.#servers.origins[arm.origin];
    const relay = arm.origin === "h2" ? this.#servers.relay : null;
    const port = relay ? listeners.relayedPort : listeners.nextPort();
    const flowsBefore = await relay?.flows() ?? 0;
    using client = openConcurrent(arm, {
      ...{ origin: relay?.origin ?? { hostname: listeners.hostname, port }, ca: listeners.ca, now },
      timeoutMs: leastMs(arm) + PATIENCE_MS,
    });
    const refusal = arm.warm ? await this.#warm(arm, client, () => listeners.countsAt(port)) : null;
    if (refusal !== null) {
      this.#done += arm.waves;
      return this.#emitRefusal(arm, refusal);
    }
    const connections: (number | null)[] = [];
    for (let wave = 1; wave <= arm.waves && !signal.aborted; wave++) {
      const before = await listeners.countsAt(port);
      connections.push(await this.#wave({ arm, wave, listeners, port, relay, flowsBefore, client, before }));
      progress(++this.#done, total, arm.waves === 1 ? arm.variant : `${arm.variant}, wave ${wave}`);
    }
    const [first = null, second = null] = connections;
    if (arm.variant !== `burst/${arm.client}` || first === null || second === null) return;
    this.#bursts.set(arm.client, { concurrency: arm.concurrency, first, second });
  }

  /** Makes the requests that go before the others. @returns why the arm cannot be measured, if it cannot */
  async #warm(
    { protocol }: Arm,
    client: ConcurrentClient,
    counts: () => Promise<ListenerCounts>,
  ): Promise<string | null> {
    for (let request = 1; request <= WARMING_REQUESTS; request++) {
      const { failure, error } = await client.request("/conn");
      if (failure) return `The first requests failed: ${error}`;
    }
    const spoken = spokenAt(await counts());
    return spoken === protocol
      ? null
      : `The server agreed on ${spoken ?? "no known protocol"}, not ${protocol}`;
  }

  /** Measures a wave. @returns the connections after it; `null` when they are not those of requests made at once */
  async #wave(at: Wave): Promise<number | null> {
    const { arm, wave, listeners, port, relay, flowsBefore, client, before } = at;
    const { requestsPerWorker, responseMs, concurrency } = arm;
    const { signal, now, timed, emit } = this.#context;
    const work = async () => {
      const made: Made[] = [];
      while (made.length < requestsPerWorker && !signal.aborted) {
        made.push(await client.request(`/sleep?ms=${responseMs}`));
      }
      return made;
    };
    const startMs = now();
    const { value, elapsedMs } = await timed(() =>
      unlessAborted(Promise.all(Array.from({ length: concurrency }, work)), signal)
    );
    if (value === null) return null;
    const made = value.flat();
    const counts = await listeners.countsAt(port);
    const flows = relay && await relay.flows() - flowsBefore;
    const connections = connectionsOf({ counts, opened: client.opened, flows });
    const failed = made.filter(({ failure }) => failure !== null).length;
    this.#emitRequests(arm, wave, made);
    emit("waves", {
      ...{ variant: arm.variant, client: arm.client, protocol: spokenAt(counts), wave, startMs, elapsedMs },
      requests: made.length,
      failed,
      received: counts.requests - before.requests,
      ...{ connections, connectionsReason: null },
    });
    return failed === 0 && wereAtOnce(made) ? connections : null;
  }

  #emitRequests({ variant }: Arm, wave: number, made: readonly Made[]): void {
    warnOfLabels(made, this.#context);
    for (const [order, exchange] of made.entries()) {
      const pooled = "queuedMs" in exchange ? pooledCells(exchange) : UNSEEN_POOL;
      this.#context.emit("requests", { variant, wave, order, ...tlsExchangeCells(exchange), ...pooled });
      warnOfOther(exchange, this.#context);
    }
  }

  #emitRefusal({ variant, client }: Arm, reason: string): void {
    this.#context.emit("waves", {
      ...{ variant, client, protocol: null, wave: 1, startMs: this.#context.now(), elapsedMs: null },
      ...{ requests: 0, failed: 0, received: null, connections: null, connectionsReason: reason },
    });
  }
}

/** Waits for work, unless the run is to stop before: nobody waits for a wave that may take minutes then. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  // What comes of it afterwards is of no interest, not even that its client was closed.
  work.catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    return signal.aborted ? null : await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The protocol that every request to a listener was made over; `null` when they differ, or there was none. */
function spokenAt({ protocols }: ListenerCounts): string | null {
  return protocols.length === 1 ? protocols[0]! : null;
}
