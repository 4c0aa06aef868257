import {
  countTimeWait,
  hasLiveConnection,
  pause,
  readSockets,
  type SocketEntry,
  socketTableSupport,
  type TimeWaitBySide,
  timeWaitTotal,
} from "../../system/mod.ts";

const SETTLE_MS = 2000;
const POLL_MS = 10;

/** How often a table that shows no connection is read again: one that changes meanwhile may miss it. */
const LOOKS = 3;

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
  #alive = new Set<string>();
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
    this.#alive = new Set(before.filter(({ state }) => state !== "TIME_WAIT").map(keyOf));
    this.#hadOlder = before.some(({ state }) => state === "TIME_WAIT");
  }

  /**
   * Finds the round's connection, while it has one and no other.
   *
   * @param server where the server listens
   * @returns the client's port; `null` when there is none or there are several, or the table cannot be read
   */
  onlyPort(server: Endpoint): number | null {
    if (this.unavailable !== null) return null;
    for (let look = 0; look < LOOKS; look++) {
      const ports = new Set(
        read(server)
          .filter((entry) => entry.peer.port === server.port && entry.state !== "TIME_WAIT")
          .filter((entry) => !this.#alive.has(keyOf(entry)))
          .map(({ local }) => local.port),
      );
      if (ports.size > 0) return ports.size === 1 ? [...ports][0]! : null;
    }
    return null;
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
    const seen = new Map<string, SocketEntry>();
    // A table that changes while it is read may show a socket twice or not at all: what is in it counts when
    // another reading shows nothing more.
    let counted: number | null = null;
    for (const deadline = performance.now() + SETTLE_MS;; await pause(POLL_MS)) {
      const added = read(server).filter((entry) => !this.#known.has(keyOf(entry)));
      for (const entry of added) if (entry.state === "TIME_WAIT") seen.set(keyOf(entry), entry);
      const settled = !hasLiveConnection(added, ports);
      if (settled && counted === seen.size) break;
      counted = settled ? seen.size : null;
      if (!settled && performance.now() > deadline) {
        return `A connection was still there ${SETTLE_MS / 1000} s after the round`;
      }
    }
    for (const key of seen.keys()) this.#ours.add(key);
    const entries = [...seen.values()];
    const timeWait = countTimeWait(entries, ports);
    return { entries, timeWait, hadOlder: this.#hadOlder, systemTotal: timeWaitTotal() };
  }

  /**
   * The run's sockets that are in TIME_WAIT now.
   *
   * @returns how many, by side
   */
  inTimeWait(): TimeWaitBySide {
    const entries = new Map<string, SocketEntry>();
    for (const entry of readSockets({ ports: this.#ports, states: new Set(["TIME_WAIT"]) })) {
      if (this.#ours.has(keyOf(entry))) entries.set(keyOf(entry), entry);
    }
    return countTimeWait([...entries.values()], this.#ports);
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
