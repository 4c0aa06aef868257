import type { FailureName } from "../../record/mod.ts";
import {
  countSockets,
  enterFreshNetwork,
  KeptNetwork,
  RawSocket,
  SocketAddress,
  type SocketEnd,
  type TimeWaitBySide,
} from "../../system/mod.ts";
import type { Arm, Ends, Ports } from "./arms.ts";

/** The port of every destination: below the range of the clients. */
export const SERVER_PORT = 7777;
const SERVER_PORTS: ReadonlySet<number> = new Set([SERVER_PORT]);

/** The longest accept queue that there is: it holds all connections, whether or not they are accepted. */
const LONGEST_QUEUE = 65_535;

/** How long a connect may take over loopback before it counts as failed. */
const CONNECT_LIMIT_MS = 2000;

/** A connection that was made. */
export interface Opened {
  /** It was made. */
  readonly ok: true;
  /** The client's socket. */
  readonly client: RawSocket;
  /** From where to where it leads. */
  readonly ends: Ends;
}

/** A try that failed. */
export interface NotOpened {
  /** It was not made. */
  readonly ok: false;
  /** Why. */
  readonly kind: FailureName;
}

/** Where connections lead. */
export class Destination implements Disposable {
  /** Its address. */
  readonly address: SocketAddress;
  readonly #listener: RawSocket;

  /** @param place which one it is, from 0 */
  constructor(place: number) {
    this.address = new SocketAddress(`127.0.1.${1 + place}`, SERVER_PORT);
    this.#listener = openSocket({ blocking: false });
    if (this.#listener.bindTo(this.address) && this.#listener.listen(LONGEST_QUEUE)) return;
    throw new Error(`Cannot listen on ${this.address.address}:${SERVER_PORT} as the system refused`);
  }

  /**
   * Accepts the connection that waits longest.
   *
   * @returns the server's socket; `null` when none waits
   * @throws {Error} there is no descriptor for it
   */
  accept(): RawSocket | null {
    const accepted = this.#listener.accept();
    if (accepted.ok) return accepted.socket;
    if (accepted.kind === null) return null;
    throw new Error(`Cannot accept connection as its failure is ${accepted.kind}`);
  }

  /** Listens no more. */
  [Symbol.dispose](): void {
    this.#listener.close();
  }
}

function openSocket(options: { readonly blocking: boolean }): RawSocket {
  const opened = RawSocket.open(options);
  if (opened.ok) return opened.socket;
  throw new Error(`Cannot open socket as its failure is ${opened.kind}`);
}

/** From where and to where: each has all ports of its own, unless bind() takes them first. */
export interface Pair {
  /** The client's address; `null` when the system chooses it. */
  readonly source: SocketAddress | null;
  /** The server. */
  readonly destination: Destination;
}

/** A network of its own for an arm, that nothing has used, with client and server in this thread. */
export class ArmNetwork implements Disposable {
  /** The arm. */
  readonly arm: Arm;
  /** Every source with every destination. */
  readonly pairs: readonly Pair[];
  readonly #kept: KeptNetwork;
  readonly #destinations: readonly Destination[];

  /**
   * Takes the calling thread to a fresh network.
   *
   * @param arm how connections are made and closed there
   * @param ports the range
   */
  constructor(arm: Arm, { range, reserved }: Ports) {
    enterFreshNetwork({
      "net.ipv4.ip_local_port_range": range,
      "net.ipv4.ip_local_reserved_ports": reserved,
      "net.ipv4.tcp_tw_reuse": arm.reuse,
      "net.core.somaxconn": LONGEST_QUEUE,
    });
    this.arm = arm;
    this.#kept = new KeptNetwork();
    this.#destinations = Array.from({ length: arm.destinations }, (_, place) => new Destination(place));
    const sources = Array.from(
      { length: arm.sources },
      (_, place) => arm.bind === "none" ? null : new SocketAddress(`127.0.0.${1 + place}`),
    );
    this.pairs = sources.flatMap((source) =>
      this.#destinations.map((destination) => ({ source, destination }))
    );
  }

  /** Takes the calling thread back to it. */
  enter(): void {
    this.#kept.enter();
  }

  /**
   * Opens a connection.
   *
   * @param pair from where and to where
   * @returns it, or why there is none
   */
  open({ source, destination }: Pair): Opened | NotOpened {
    const opened = RawSocket.open();
    if (!opened.ok) return opened;
    const { socket } = opened;
    const { bind, reuseAddress } = this.arm;
    socket.setOption("sendTimeoutMs", CONNECT_LIMIT_MS);
    if (reuseAddress) socket.setOption("reuseAddress", true);
    if (bind === "no-port") socket.setOption("bindAddressNoPort", true);
    const failed = source === null || socket.bindTo(source)
      ? connectFailure(socket, destination)
      : socket.whyNotBound(source);
    if (failed === null) {
      return { ok: true, client: socket, ends: endsOf(socket.local, destination.address) };
    }
    socket.close();
    return { ok: false, kind: failed };
  }

  /**
   * Closes both ends of a connection.
   *
   * @param client the client's socket
   * @param server the server's
   * @param closes the side that closes first. @default {as the arm says}
   */
  close(client: RawSocket, server: RawSocket, closes: Arm["closes"] = this.arm.closes): void {
    const { linger0 } = this.arm;
    const [first, second] = closes === "client" ? [client, server] : [server, client];
    if (linger0) first.setOption("lingerSeconds", 0);
    first.close();
    second.close();
  }

  /** How many sockets are in TIME_WAIT, by side. The calling thread must be in this network. */
  timeWait(): TimeWaitBySide {
    const counts = countSockets(SERVER_PORTS, new Set(["TIME_WAIT"]));
    const of = (wanted: "client" | "server") =>
      counts.filter(({ side }) => side === wanted).reduce((sum, { count }) => sum + count, 0);
    return { client: of("client"), server: of("server") };
  }

  /** Leaves it to the system, which ends it with its last socket. */
  [Symbol.dispose](): void {
    for (const destination of this.#destinations) destination[Symbol.dispose]();
    this.#kept[Symbol.dispose]();
  }
}

function connectFailure(socket: RawSocket, { address }: Destination): FailureName | null {
  return socket.connectTo(address) ? null : socket.whyNotConnected(address);
}

/**
 * The ends of a connection.
 *
 * @param client the client's address, as the system has it
 * @param server the server's
 * @returns the last numbers of both, and the client's port
 */
export function endsOf(client: SocketEnd, server: SocketEnd): Ends {
  const last = ({ address }: SocketEnd) => Number(address.slice(address.lastIndexOf(".") + 1));
  return { source: last(client), port: client.port, destination: last(server) };
}
