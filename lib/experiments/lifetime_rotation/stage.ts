import {
  connectTcp,
  Pool,
  PooledClient,
  type PooledExchange,
  type PoolOptions,
  systemClock,
} from "../../transport/mod.ts";
import type { MeasureContext, ServerHandle } from "../contract.ts";
import { exchangeCells } from "../_shared/exchange_columns.ts";
import { warnOfLabels } from "../_shared/labels.ts";
import { pooledCells } from "../_shared/pooled_columns.ts";
import { warnOfOther } from "../_shared/unknown_failure.ts";
import type { Values } from "./params.ts";
import type { Tables } from "./tables.ts";
import type { Variant } from "./variants.ts";

/** The name that requests go to: only the pools' own resolver knows it. */
export const HOSTNAME = "service.test";

/** The longest that one request may take, in milliseconds. */
export const REQUEST_LIMIT_MS = 5000;

/** A request to be made. */
export interface Asked {
  /** What it is a part of. */
  readonly variant: Variant;
  /** Which of the clients makes it, from 1. */
  readonly client: number;
  /** The port that it goes to. */
  readonly port: number;
  /** When it was due, on the measurement's clock. @default {none: as soon as possible} */
  readonly dueMs?: number;
  /** How long the server takes to answer; it keeps no record of such a request. @default {it answers at once} */
  readonly sleepMs?: number;
}

/** What {@linkcode Stage.openPool} may be told. */
export interface OpenPoolOptions {
  /** What each resolution is noted under. @default {it is not noted} */
  readonly variant?: Variant;
  /** The address that the name stands for at the moment. @default {always the origin's} */
  readonly addressNow?: () => string;
}

/** What the parts share: pools with their resolver, and the rows of requests. */
export class Stage {
  /** Where rows and progress go. */
  readonly context: MeasureContext<Tables>;
  /** The parameters. */
  readonly params: Values;
  /** The server. */
  readonly origin: ServerHandle;
  #lastId = 0;
  readonly #orders = new Map<Variant, number>();

  /**
   * @param params the parameters
   * @param context where rows and progress go
   */
  constructor(params: Values, context: MeasureContext<Tables>) {
    this.params = params;
    this.context = context;
    this.origin = context.servers.origin!;
  }

  /**
   * The experiment's milliseconds in real ones.
   *
   * @param ms a time of the experiment
   */
  real(ms: number): number {
    return ms / this.params.speed;
  }

  /**
   * Makes a pool with a resolver of its own: no other one knows {@linkcode HOSTNAME}.
   *
   * @param limits what limits it
   * @param options where the name leads, and what its resolutions are noted under
   */
  openPool(limits: Partial<PoolOptions>, options: OpenPoolOptions = {}): Pool {
    const { context, origin } = this;
    const { variant, addressNow = () => origin.hostname } = options;
    return new Pool({
      connect: (address, { port }, signal) => connectTcp({ hostname: address, port, signal }),
      resolve: (hostname) => {
        const address = addressNow();
        if (variant) context.emit("resolutions", { variant, atMs: context.now(), hostname, address });
        return Promise.resolve(address);
      },
      clock: { ...systemClock, now: () => context.now() },
      random: context.random,
      ...limits,
    });
  }

  /**
   * Makes a client of a pool. No request is sent twice: a reused connection that fails is to be seen.
   *
   * @param pool the pool, which may have other clients
   */
  openClient(pool: Pool): PooledClient {
    return new PooledClient(pool, { timeoutMs: REQUEST_LIMIT_MS, retryStale: "never" });
  }

  /**
   * Makes a request and records it.
   *
   * @param client what makes it
   * @param asked what is asked
   * @returns how it went
   */
  async request(client: PooledClient, asked: Asked): Promise<PooledExchange> {
    const { variant, port, sleepMs, dueMs = null } = asked;
    const order = this.#orders.get(variant) ?? 0;
    this.#orders.set(variant, order + 1);
    const id = sleepMs === undefined ? ++this.#lastId : null;
    const path = id === null ? `/sleep?ms=${sleepMs}` : `/visit?id=${id}`;
    const exchange = await client.request({ hostname: HOSTNAME, port }, { path });
    this.context.emit("requests", {
      variant,
      order,
      client: asked.client,
      id,
      dueMs,
      ...exchangeCells(exchange),
      ...pooledCells(exchange),
    });
    warnOfOther(exchange, this.context);
    warnOfLabels([exchange], this.context);
    return exchange;
  }

  /**
   * Records what the pools of a variant did.
   *
   * @param variant the variant
   * @param pools its pools
   * @param port the listener that it has to itself. @default {none: others' connections come there too}
   */
  async record(variant: Variant, pools: readonly Pool[], port?: number): Promise<void> {
    const counts = pools.map(({ counts }) => counts);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    this.context.emit("pools", {
      variant,
      opened: sum(counts.map(({ opened }) => opened)),
      reused: sum(counts.map(({ reused }) => reused)),
      aged: sum(counts.map(({ retired }) => retired.lifetime)),
      accepted: port === undefined ? null : await this.#accepted(port),
    });
  }

  /** Records what a server saw of all requests that it kept a record of. */
  async recordVisits(server: ServerHandle): Promise<void> {
    for (const { id, connection, clientPort, atMs } of await ask<Visit[]>(server, "/visits")) {
      this.context.emit("visits", { address: server.hostname, id, connection, clientPort, atMs });
    }
  }

  async #accepted(port: number): Promise<number> {
    return (await ask<{ accepted: number }>(this.origin, `/stats?port=${port}`)).accepted;
  }
}

/** A request as the server saw it. */
interface Visit {
  readonly id: number;
  readonly connection: number;
  readonly clientPort: number;
  readonly atMs: number;
}

async function ask<T>({ hostname, port }: ServerHandle, path: string): Promise<T> {
  const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
  const response = await fetch(`http://${hostname}:${port}${path}`, { signal });
  if (!response.ok) throw new Error(`The origin refused to tell ${path}: ${await response.text()}`);
  return await response.json();
}
