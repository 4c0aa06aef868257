import {
  countTimeWait,
  hasLiveConnection,
  readSockets,
  type SocketEntry,
  socketTableSupport,
  type TimeWaitBySide,
} from "../../system/mod.ts";

const SETTLE_MS = 2000;
const POLL_MS = 10;

/** The sockets that one round left behind. */
export interface LeftSockets {
  /** The sockets, of either side. */
  readonly entries: readonly SocketEntry[];
  /** Those in TIME_WAIT. */
  readonly timeWait: TimeWaitBySide;
}

/**
 * Keeps account of the sockets of a run, told apart from those that were there before. A round is counted
 * when none of its connections is established or closing any more.
 */
export class SocketLedger {
  /** Why the socket table cannot be read here; `null` when it can. */
  readonly unavailable: string | null = socketTableSupport().reason;
  readonly #ports = new Set<number>();
  readonly #ours = new Set<string>();
  readonly #known = new Set<string>();

  /**
   * Begins a round: what the table holds for its port is not the round's.
   *
   * @param port the port of its server
   */
  begin(port: number): void {
    if (this.unavailable !== null) return;
    this.#ports.add(port);
    this.#known.clear();
    for (const entry of read(port)) this.#known.add(keyOf(entry));
  }

  /**
   * Waits until the round's connections are gone, and counts what they left behind.
   *
   * @param port the port of its server
   * @returns the sockets; `null` when a connection is still there after two seconds
   */
  async settle(port: number): Promise<LeftSockets | null> {
    const ports = new Set([port]);
    for (const deadline = performance.now() + SETTLE_MS;; await pause(POLL_MS)) {
      const added = this.#added(port);
      if (!hasLiveConnection(added, ports)) {
        const entries = added.filter(({ state }) => state === "TIME_WAIT");
        for (const entry of entries) this.#ours.add(keyOf(entry));
        return { entries, timeWait: countTimeWait(entries, ports) };
      }
      if (performance.now() > deadline) return null;
    }
  }

  /**
   * The run's sockets that are in TIME_WAIT now.
   *
   * @returns how many, by side
   */
  inTimeWait(): TimeWaitBySide {
    const entries = readSockets({ ports: this.#ports, states: new Set(["TIME_WAIT"]) });
    return countTimeWait(entries.filter((entry) => this.#ours.has(keyOf(entry))), this.#ports);
  }

  #added(port: number): SocketEntry[] {
    return read(port).filter((entry) => !this.#known.has(keyOf(entry)) && entry.state !== "LISTEN");
  }
}

function read(port: number): SocketEntry[] {
  return readSockets({ ports: new Set([port]) });
}

function keyOf({ local, peer }: SocketEntry): string {
  return `${local.address} ${local.port} ${peer.address} ${peer.port}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
