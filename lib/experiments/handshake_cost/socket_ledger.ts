import {
  countTimeWait,
  hasLiveConnection,
  readSockets,
  type SocketEntry,
  socketTableSupport,
  type TimeWaitBySide,
  timeWaitTotal,
} from "../../system/mod.ts";

const SETTLE_MS = 2000;
const POLL_MS = 10;

/** Where a server listens. */
export interface Endpoint {
  /** Its IP address, not a name. */
  readonly address: string;
  /** Its port. */
  readonly port: number;
}

/** The sockets that one round left behind. */
export interface LeftSockets {
  /** The sockets in TIME_WAIT, of either side. */
  readonly entries: readonly SocketEntry[];
  /** How many they are, by side. */
  readonly timeWait: TimeWaitBySide;
  /** Whether sockets of an earlier round to the same server were in TIME_WAIT when the round began. */
  readonly hadOlder: boolean;
  /** Sockets in TIME_WAIT in the whole system. */
  readonly systemTotal: number;
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
  #known = new Set<string>();
  #hadOlder = false;

  /**
   * Begins a round: what the table holds of its server is not the round's.
   *
   * @param server where the server listens
   */
  begin(server: Endpoint): void {
    if (this.unavailable !== null) return;
    this.#ports.add(server.port);
    const before = read(server);
    this.#known = new Set(before.map(keyOf));
    this.#hadOlder = before.some(({ state }) => state === "TIME_WAIT");
  }

  /**
   * Waits until the round's connections are gone, and counts what they left behind.
   *
   * @param server where the server listens
   * @returns the sockets; why they cannot be counted, when that is so
   */
  async settle(server: Endpoint): Promise<LeftSockets | string> {
    if (this.unavailable !== null) return this.unavailable;
    const ports = new Set([server.port]);
    for (const deadline = performance.now() + SETTLE_MS;; await pause(POLL_MS)) {
      const added = read(server).filter((entry) => !this.#known.has(keyOf(entry)));
      if (!hasLiveConnection(added, ports)) {
        const entries = added.filter(({ state }) => state === "TIME_WAIT");
        for (const entry of entries) this.#ours.add(keyOf(entry));
        const timeWait = countTimeWait(entries, ports);
        return { entries, timeWait, hadOlder: this.#hadOlder, systemTotal: timeWaitTotal() };
      }
      if (performance.now() > deadline) {
        return `A connection was still there ${SETTLE_MS / 1000} s after the round`;
      }
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
}

/**
 * Whether both ends of a connection are in this machine's table: whether the server is on this machine.
 *
 * @param client the client's end of an established connection
 * @param server the server's end
 * @returns whether they are; `false` where the table cannot be read
 */
export function isLocal(client: Endpoint, server: Endpoint): boolean {
  if (!socketTableSupport().available) return false;
  return read(server).some(({ local, peer }) =>
    local.port === server.port && peer.port === client.port && peer.address === client.address
  );
}

/** The connections of a server, not the sockets that listen. */
function read({ address, port }: Endpoint): SocketEntry[] {
  return readSockets({ ports: new Set([port]) }).filter(({ local, peer, state }) =>
    state !== "LISTEN" &&
    (local.port === port && local.address === address || peer.port === port && peer.address === address)
  );
}

function keyOf({ local, peer }: SocketEntry): string {
  return `${local.address} ${local.port} ${peer.address} ${peer.port}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
