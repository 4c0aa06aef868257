import type { RowOf } from "../../record/mod.ts";
import { acceptQueues, countSockets, type ProcessUse, readProcessUse } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { type Stats, StatsPoll } from "./stats_poll.ts";
import type { Subject, SubjectServer } from "./subject.ts";
import type { Tables } from "./tables.ts";
import { countDescriptors, countOverflows } from "./walls.ts";

const ESTABLISHED = new Set(["ESTABLISHED"] as const);

const UNTOLD = "Only a server of the lab tells its counts";

/** When a server is looked at. */
export type Moment = "before" | "opening" | "held" | "watched" | "after";

/** One look at a server. */
export type Reading = RowOf<Tables["readings"]>;

/** What {@linkcode Watch.open} is told. */
export interface WatchOptions {
  /** The arm. */
  readonly variant: string;
  /** What is looked at. */
  readonly subject: Subject;
  /** The processes of the client. */
  readonly clientPids: readonly number[];
  /** Whether the number of the servers' descriptors is limited, and therefore of interest. */
  readonly isLimited: boolean;
  /** Where rows go. */
  readonly context: MeasureContext<Tables>;
}

/** Looks at the servers of an arm: from inside, over a connection to each that is kept, and from outside. */
export class Watch implements Disposable {
  readonly #options: WatchOptions;
  readonly #polls: readonly (StatsPoll | null)[];
  readonly #overflows = countOverflows();

  private constructor(options: WatchOptions, polls: readonly (StatsPoll | null)[]) {
    this.#options = options;
    this.#polls = polls;
  }

  /**
   * Connects to each server that tells its counts.
   *
   * @param options what is looked at
   * @returns the watch
   * @throws {Error} a server does not take the connection
   */
  static async open(options: WatchOptions): Promise<Watch> {
    const polls: (StatsPoll | null)[] = [];
    for (const { address, statsPort } of options.subject.servers) {
      polls.push(statsPort === null ? null : await StatsPoll.open(address, statsPort));
    }
    return new Watch(options, polls);
  }

  /** How many of its own connections the servers count. */
  get polls(): number {
    return this.#polls.filter((poll) => poll !== null).length;
  }

  /**
   * What the first server tells of itself.
   *
   * @returns its counts and limits; why it does not tell them
   */
  async stats(): Promise<Stats | string> {
    return await this.#polls[0]?.read() ?? UNTOLD;
  }

  /**
   * Looks at each server once, and records it.
   *
   * @param moment when this is
   * @param counted connections that the client says are open, to all servers; `null` when it does not tell
   * @returns the rows, one a server
   */
  async read(moment: Moment, counted: number | null | Promise<number | null>): Promise<Reading[]> {
    // A thread that is busy with its connections answers late: the servers must not wait to be looked at.
    const [looks, open] = await Promise.all([this.#look(moment), counted]);
    const readings = looks.map((look) => ({ ...look, open }));
    for (const reading of readings) this.#options.context.emit("readings", reading);
    return readings;
  }

  async #look(moment: Moment): Promise<Omit<Reading, "open">[]> {
    const { variant, subject: { servers }, context } = this.#options;
    const client = this.#clientCells();
    const looks: Omit<Reading, "open">[] = [];
    for (const [index, server] of servers.entries()) {
      const said = await this.#polls[index]?.read() ?? UNTOLD;
      looks.push({
        ...{ variant, moment, server: index, seenMs: context.now(), ...client },
        ...saidCells(said),
        ...this.#seenCells(server),
      });
    }
    return looks;
  }

  /** How many connections to the ports under load this machine has, at either end. */
  connections(): number {
    const ports = new Set(this.#options.subject.servers.map(({ port }) => port));
    return countSockets(ports, ESTABLISHED).reduce((most, { count }) => Math.max(most, count), 0);
  }

  #clientCells(): Pick<Reading, "clientRssBytes" | "clientCpuMs"> {
    const uses = this.#options.clientPids.map(readProcessUse);
    const sum = (of: (use: ProcessUse) => number) =>
      uses.reduce<number | null>((sum, use) => sum === null || use === null ? null : sum + of(use), 0);
    return {
      clientRssBytes: sum(({ residentBytes }) => residentBytes),
      clientCpuMs: sum(({ processorMs }) => processorMs),
    };
  }

  /** What the kernel tells. */
  #seenCells({ port, pid }: SubjectServer) {
    const { isLimited, subject: { local } } = this.#options;
    const sockets = countSockets(new Set([port]), ESTABLISHED);
    const of = (wanted: "client" | "server") =>
      sockets.filter(({ side }) => side === wanted).reduce((sum, { count }) => sum + count, 0);
    const use = pid === null ? null : readProcessUse(pid);
    return {
      atServer: local ? of("server") : null,
      atClient: of("client"),
      queued: local ? queuedAt(port) : null,
      listenOverflows: local ? this.#overflows() : null,
      descriptors: isLimited && pid !== null ? countDescriptors(pid) : null,
      rssBytes: use?.residentBytes ?? null,
      cpuMs: use?.processorMs ?? null,
    };
  }

  /** Closes its connections. */
  [Symbol.dispose](): void {
    for (const poll of this.#polls) poll?.[Symbol.dispose]();
  }
}

function queuedAt(port: number): number | null {
  try {
    return acceptQueues(port).reduce((sum, { waiting }) => sum + waiting, 0);
  } catch (error) {
    if (error instanceof Deno.errors.NotSupported) return null;
    throw error;
  }
}

/** What a server tells. */
function saidCells(said: Stats | string) {
  if (typeof said === "string") {
    const none = { accepted: null, active: null, inFlight: null, requests: null, refused: null };
    return { ...none, eventLoopDelayMs: null, reason: said };
  }
  const { accepted, active, inFlight, requests, refused, eventLoopDelayMs, reasons } = said;
  return {
    ...{ accepted, active, inFlight, requests, refused, eventLoopDelayMs },
    reason: active === null ? reasons.active ?? null : null,
  };
}
