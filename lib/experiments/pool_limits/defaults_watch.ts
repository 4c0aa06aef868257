import type { ClientName } from "./arms.ts";
import { BlackHole } from "./black_hole.ts";
import { type ConcurrentClient, type Made, openConcurrent } from "./clients.ts";
import { connectionsOf } from "./counts.ts";
import { type Bursts, type DefaultRow, defaultRows } from "./defaults.ts";
import type { Pause } from "./idle_pauses.ts";
import type { Listeners } from "./listeners.ts";

const CLIENTS: readonly ClientName[] = ["fetch", "raw"];

/** A client as it is when no option is given. */
const DEFAULTS = {
  protocol: "http/1.1",
  tls: false,
  warm: false,
  maxConnections: null,
  maxIdle: null,
} as const;

/** What a watch needs. */
export interface WatchOptions {
  /** The ports of the origin that speaks plain HTTP. */
  readonly listeners: Listeners;
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** What was seen beside the watch. */
export interface SeenElsewhere {
  /** The connections after the first and the second of two bursts, by client. */
  readonly bursts: ReadonlyMap<ClientName, Bursts>;
  /** What `fetch` did after pauses. */
  readonly pauses: readonly Pause[];
}

/** A client that is watched from the beginning of the run to its end. */
interface Watched {
  readonly name: ClientName;
  readonly port: number;
  /** Its connection is used after every arm. */
  readonly kept: ConcurrentClient;
  readonly startMs: number;
  lastMs: number;
  longestIdleMs: number;
  requests: number;
  failed: number;
  /** Another one, which connects to where no answer comes. */
  readonly lost: ConcurrentClient | null;
  gaveUp: Made | null;
}

/**
 * Watches clients with no option given while the run goes on, which takes none of its time: a connection of each
 * that is used now and then, and one that each tries to open where no answer comes.
 */
export class DefaultsWatch implements Disposable {
  readonly #options: WatchOptions;
  readonly #hole: BlackHole | null;
  readonly #watched: readonly Watched[];

  private constructor(options: WatchOptions, hole: BlackHole | null) {
    this.#options = options;
    this.#hole = hole;
    this.#watched = CLIENTS.map((name) => this.#begin(name));
  }

  /**
   * Begins.
   *
   * @param options where to
   * @returns the watch, to be closed by whoever began it
   */
  static async start(options: WatchOptions): Promise<DefaultsWatch> {
    const watch = new DefaultsWatch(options, await BlackHole.open());
    await watch.use();
    return watch;
  }

  /** Uses the connection of each client once more. */
  async use(): Promise<void> {
    for (const watched of this.#watched) {
      const { failure } = await watched.kept.request("/conn");
      const nowMs = this.#options.now();
      watched.longestIdleMs = Math.max(watched.longestIdleMs, nowMs - watched.lastMs);
      watched.lastMs = nowMs;
      watched.requests++;
      if (failure) watched.failed++;
    }
  }

  /**
   * What the clients do by default.
   *
   * @param elsewhere what was seen beside the watch
   * @returns a row a client and setting
   */
  async rows({ bursts, pauses }: SeenElsewhere): Promise<DefaultRow[]> {
    const nowMs = this.#options.now();
    const rows: DefaultRow[] = [];
    for (const watched of this.#watched) {
      const { name, kept, port, requests, failed, startMs, lastMs, longestIdleMs, gaveUp } = watched;
      const counts = await this.#options.listeners.countsAt(port);
      const connections = connectionsOf({ counts, opened: kept.opened, flows: null });
      rows.push(...defaultRows({
        client: name,
        kept: {
          ...{ watchedMs: lastMs - startMs, requests, longestIdleMs },
          connections: failed > 0 ? null : connections,
        },
        connecting: {
          watchedMs: this.#hole === null ? null : gaveUp?.elapsedMs ?? nowMs - startMs,
          error: gaveUp?.error ?? null,
        },
        bursts: bursts.get(name) ?? null,
        pauses: name === "fetch" ? pauses : [],
        told: kept.told,
      }));
    }
    return rows;
  }

  /** Closes what it holds open. */
  [Symbol.dispose](): void {
    for (const { kept, lost } of this.#watched) {
      kept[Symbol.dispose]();
      lost?.[Symbol.dispose]();
    }
    this.#hole?.[Symbol.dispose]();
  }

  #begin(name: ClientName): Watched {
    const { listeners, now } = this.#options;
    const port = listeners.nextPort();
    const open = (origin: { hostname: string; port: number }) =>
      openConcurrent({ ...DEFAULTS, client: name }, { origin, now });
    const startMs = now();
    const watched: Watched = {
      ...{ name, port, startMs, lastMs: startMs, longestIdleMs: 0, requests: 0, failed: 0, gaveUp: null },
      kept: open({ hostname: listeners.hostname, port }),
      lost: this.#hole && open(this.#hole),
    };
    // It settles when the client gives up, or when it is closed and nobody cares any more.
    watched.lost?.request("/conn").then((made) => watched.gaveUp = made, () => {});
    return watched;
  }
}
