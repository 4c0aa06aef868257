import { RawSocket } from "../../system/mod.ts";
import { Connector } from "./connector.ts";
import type { Arm } from "./plan.ts";
import { protocolOf } from "./strategies.ts";

/** What became of the connects of an arm, in order. */
export interface Filled {
  /** The place of each in the arm. */
  readonly order: number[];
  /** When each began, in milliseconds on the clock of this machine. */
  readonly startMs: number[];
  /** The time that each took; `NaN` where there was no socket to connect. */
  readonly connectMs: number[];
  /** Its local port; 0 where it failed. */
  readonly port: number[];
  /** The ports that the program itself tried. */
  readonly attempts: number[];
  /** `ok`, or the kind of the failure. */
  readonly result: string[];
}

/** What {@linkcode FillLoop} may be told. */
export interface FillLoopOptions {
  /** Random numbers in [0, 1). */
  readonly random: () => number;
  /** The first place that it fills. @default {0} */
  readonly first?: number;
  /** From one place to the next: how many loops share the arm. @default {1} */
  readonly stride?: number;
}

/** Makes sockets and connects them until the range is full, and keeps them. */
export class FillLoop implements Disposable {
  /** What became of them. */
  readonly filled: Filled = { order: [], startMs: [], connectMs: [], port: [], attempts: [], result: [] };
  /** The sockets that are connected and have not been handed on. */
  readonly sockets: RawSocket[] = [];
  /** The time that went to making, connecting and looking at sockets, in milliseconds. */
  elapsedMs = 0;
  readonly #arm: Arm;
  readonly #connector: Connector;
  readonly #stride: number;
  readonly #kind: { readonly protocol: "tcp" | "udp"; readonly family: Arm["family"] };
  #next: number;

  /**
   * @param arm the arm
   * @param options random numbers, and which part of the arm it fills
   */
  constructor(arm: Arm, options: FillLoopOptions) {
    const { random, first = 0, stride = 1 } = options;
    this.#arm = arm;
    this.#connector = new Connector(arm, random);
    this.#kind = { protocol: protocolOf(arm.strategy), family: arm.family };
    this.#next = first;
    this.#stride = stride;
  }

  /** Whether all connects have been made. */
  get isDone(): boolean {
    return this.#next >= this.#arm.connects;
  }

  /**
   * Makes the next connects.
   *
   * @param count how many at most
   * @param ms the time after which it begins no further one, in milliseconds
   */
  run(count: number, ms: number): void {
    const untilMs = performance.now() + ms;
    for (let made = 0; made < count && !this.isDone && performance.now() < untilMs; made++) {
      this.#connectOne(this.#next);
      this.#next += this.#stride;
    }
  }

  #connectOne(order: number): void {
    this.#connector.ready(order);
    const beginMs = performance.now();
    const opened = RawSocket.open(this.#kind);
    if (!opened.ok) return this.#note(order, beginMs, NaN, 0, opened.kind);
    const { socket } = opened;
    const startMs = performance.now();
    const isConnected = this.#connector.connect(socket);
    const connectMs = performance.now() - startMs;
    const port = isConnected ? socket.localPort : 0;
    this.elapsedMs += performance.now() - beginMs;
    this.#note(order, startMs, connectMs, port, isConnected ? "ok" : this.#connector.whyNot(socket));
    if (isConnected) this.sockets.push(socket);
    else socket.close();
  }

  #note(order: number, startMs: number, connectMs: number, port: number, result: string): void {
    const { filled } = this;
    filled.order.push(order);
    // Threads have clocks of different origin.
    filled.startMs.push(performance.timeOrigin + startMs);
    filled.connectMs.push(connectMs);
    filled.port.push(port);
    filled.attempts.push(this.#connector.attempts);
    filled.result.push(result);
  }

  /** Closes the sockets that it has. */
  [Symbol.dispose](): void {
    for (const socket of this.sockets.splice(0)) socket.close();
  }
}
