import type { FailureName } from "../../record/mod.ts";
import { type RawSocket, SocketAddress } from "../../system/mod.ts";
import type { Arm } from "./plan.ts";
import type { PortRange } from "./walk.ts";
import { windowIn } from "./window.ts";

/** The port of the listener. It is below every range of ports, and in a namespace of its own nobody else's. */
export const LISTENER_PORT = 80;

/** Own choices for one connection, as a multiple of the ports there are, after which there is taken to be none. */
const MOST_CHOICES = 20;

const DESTINATIONS = { ipv4: "127.0.0.1", ipv6: "::1" } as const;
const SOURCES = { ipv4: ["127.0.0.1", "127.0.0.2"], ipv6: ["::1"] } as const;

/**
 * The address that the connections of an arm go to.
 *
 * @param family its family
 * @returns the address
 */
export function destinationOf(family: Arm["family"]): SocketAddress {
  return new SocketAddress(DESTINATIONS[family], LISTENER_PORT);
}

/** Connects the sockets of an arm, one after another, by its strategy. */
export class Connector {
  readonly #arm: Arm;
  readonly #random: () => number;
  readonly #destination: SocketAddress;
  /** Each source with port 0, by which the system chooses. */
  readonly #sources: readonly SocketAddress[];
  /** Each port of each source, where the program chooses. */
  readonly #choices: readonly (readonly SocketAddress[])[];
  #source = 0;
  #range: PortRange | null;
  /** The ports that the program itself tried for the last socket. */
  attempts = 1;

  /**
   * @param arm the arm
   * @param random random numbers in [0, 1)
   */
  constructor(arm: Arm, random: () => number) {
    const addresses = SOURCES[arm.family].slice(0, arm.sources);
    const { low, high } = arm.range;
    this.#arm = arm;
    this.#random = random;
    this.#destination = destinationOf(arm.family);
    this.#sources = addresses.map((address) => new SocketAddress(address));
    this.#choices = arm.strategy !== "select-test-repeat"
      ? []
      : addresses.map((address) =>
        Array.from({ length: high - low + 1 }, (_, offset) => new SocketAddress(address, low + offset))
      );
    this.#range = arm.strategy === "full-range" ? arm.range : null;
  }

  /**
   * Makes the choices for the next socket that take no call of the system.
   *
   * @param order its place in the arm, from 0
   */
  ready(order: number): void {
    const { strategy, range, windowPorts, sources } = this.#arm;
    this.#source = order % sources;
    if (strategy === "window") this.#range = windowIn(range, windowPorts!, this.#random);
  }

  /**
   * Connects a new socket: this is what is timed.
   *
   * @param socket the socket
   * @returns whether it is connected
   */
  connect(socket: RawSocket): boolean {
    this.attempts = 1;
    return this.#prepare(socket) && socket.connectTo(this.#destination);
  }

  /** Options and bind(). */
  #prepare(socket: RawSocket): boolean {
    const { strategy, sources } = this.#arm;
    const source = this.#sources[this.#source]!;
    if (strategy === "bind-first") return socket.bindTo(source);
    if (strategy === "select-test-repeat") return this.#choose(socket);
    if (strategy === "udp-reuse") socket.setOption("reuseAddress", true);
    if (this.#range !== null) socket.setOption("localPortRange", [this.#range.low, this.#range.high]);
    if (strategy !== "bind-no-port" && sources === 1) return true;
    socket.setOption("bindAddressNoPort", true);
    return socket.bindTo(source);
  }

  #choose(socket: RawSocket): boolean {
    const choices = this.#choices[this.#source]!;
    const most = MOST_CHOICES * choices.length;
    for (;; this.attempts++) {
      if (socket.bindTo(choices[Math.floor(this.#random() * choices.length)]!)) return true;
      if (this.attempts === most) return false;
    }
  }

  /**
   * Why the last socket was not connected. Close it afterwards.
   *
   * @param socket the socket
   * @returns the kind of the failure
   */
  whyNot(socket: RawSocket): FailureName {
    const { strategy } = this.#arm;
    if (socket.localPort === 0) {
      if (strategy === "select-test-repeat") return "address-in-use";
      if (strategy === "bind-first") return socket.whyNotBound(this.#sources[this.#source]!);
    }
    return socket.whyNotConnected(this.#destination) ?? "other";
  }
}
