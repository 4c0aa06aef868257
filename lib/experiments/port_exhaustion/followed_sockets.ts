import { readSockets, SocketAddress } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { ArmNetwork, SERVER_PORT } from "./arm_network.ts";
import type { Arm, Ports } from "./arms.ts";
import type { Tables } from "./tables.ts";
import type { Activity } from "./turnover.ts";

/** Between two looks at the table, with a connection after each until there are enough. */
const SPACING_MS = 50;

/** Looks at the table that have to agree: one that is read while it changes may leave a socket out. */
const LOOKS = 3;

/**
 * A network in which connections are closed by either side, and nothing else happens. Each has a port of its own:
 * one more connection over the same port would end the server's socket in TIME_WAIT.
 */
const FOLLOWED: Arm = {
  ...{ variant: "followed", reuse: 0, destinations: 1, sources: 1, bind: "first", reuseAddress: false },
  ...{ closes: "client", linger0: false },
};

/** A socket from its close on. */
interface Followed {
  readonly order: number;
  readonly side: "client" | "server";
  readonly port: number;
  readonly closedMs: number;
  lastSeenMs: number | null;
  goneMs: number | null;
  missed: number;
}

/** What {@linkcode FollowedSockets} is told. */
export interface FollowOptions {
  /** How many sockets are followed. */
  readonly sockets: number;
  /** How long it takes at most, in milliseconds. */
  readonly mostMs: number;
}

/**
 * Opens connections and closes them, by client and server in turn, and follows each socket in TIME_WAIT from its
 * own close to its end.
 */
export class FollowedSockets implements Activity {
  readonly mostMs: number;
  readonly #network: ArmNetwork;
  readonly #context: Pick<MeasureContext<Tables>, "emit" | "now">;
  readonly #sockets: number;
  readonly #followed = new Map<string, Followed>();
  readonly #firstPort: number;
  readonly #startMs: number;
  #lookedMs = -Infinity;

  /**
   * Takes the calling thread to a fresh network.
   *
   * @param ports the range
   * @param context where rows go
   * @param options how many sockets, and for how long
   */
  constructor(ports: Ports, context: Pick<MeasureContext<Tables>, "emit" | "now">, options: FollowOptions) {
    this.#network = new ArmNetwork(FOLLOWED, ports);
    this.#firstPort = ports.range[0];
    this.#context = context;
    this.#sockets = options.sockets;
    this.mostMs = options.mostMs;
    this.#startMs = context.now();
  }

  step(): boolean {
    const nowMs = this.#context.now();
    if (nowMs - this.#lookedMs < SPACING_MS) return true;
    this.#lookedMs = nowMs;
    this.#network.enter();
    this.#look(nowMs);
    if (this.#followed.size < this.#sockets) this.#add();
    const isOver = this.#followed.size === this.#sockets &&
      this.#followed.values().every(({ missed }) => missed >= LOOKS);
    return !isOver && nowMs - this.#startMs < this.mostMs;
  }

  #add(): void {
    const order = this.#followed.size;
    const side = order % 2 === 0 ? "client" : "server";
    const port = this.#firstPort + order;
    const { destination } = this.#network.pairs[0]!;
    const opened = this.#network.open({ source: new SocketAddress("127.0.0.1", port), destination });
    if (!opened.ok) throw new Error(`Cannot follow a socket as its connection failed: ${opened.kind}`);
    const server = destination.accept();
    if (server === null) throw new Error("Cannot accept connection as none is waiting");
    this.#network.close(opened.client, server, side);
    const closedMs = this.#context.now();
    const seen = { lastSeenMs: null, goneMs: null, missed: 0 };
    this.#followed.set(`${side} ${port}`, { order, side, port, closedMs, ...seen });
  }

  #look(startMs: number): void {
    const table = readSockets({ ports: new Set([SERVER_PORT]), states: new Set(["TIME_WAIT"]) });
    const endMs = this.#context.now();
    const present = new Set(
      table.map(({ local, peer }) =>
        local.port === SERVER_PORT ? `server ${peer.port}` : `client ${local.port}`
      ),
    );
    for (const [key, socket] of this.#followed) {
      if (present.has(key)) {
        Object.assign(socket, { lastSeenMs: startMs, goneMs: null, missed: 0 });
      } else {
        socket.goneMs ??= endMs;
        socket.missed++;
      }
    }
  }

  end(): void {
    for (const { missed, ...row } of this.#followed.values()) {
      const goneMs = missed >= LOOKS ? row.goneMs : null;
      this.#context.emit("followed", { ...row, goneMs });
    }
    this.#network[Symbol.dispose]();
  }
}
