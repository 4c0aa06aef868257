import type { MeasureContext } from "../contract.ts";
import type { ArmNetwork } from "./arm_network.ts";
import { slotOf } from "./arms.ts";
import { AttemptLog } from "./attempt_log.ts";
import type { Tables } from "./tables.ts";

/** Something that goes on in a network of its own, beside others. */
export interface Activity {
  /** How long it takes at most, in milliseconds. */
  readonly mostMs: number;
  /**
   * Does what is due, in its own network.
   *
   * @returns whether there is more to do
   */
  step(): boolean;
  /** Records what is not recorded yet, and leaves the network. */
  end(): void;
}

/** What {@linkcode Turnover} is told. */
export interface TurnoverOptions {
  /** Tries per second. */
  readonly ratePerSecond: number;
  /** Connections in all that are enough. */
  readonly enough: number;
  /** Connections over a port that had one before that are enough. */
  readonly enoughAgain: number;
  /** How long it takes at most, in milliseconds. */
  readonly mostMs: number;
  /** How often sockets in TIME_WAIT are counted, in milliseconds. */
  readonly sampleMs: number;
}

/** Opens a connection and closes it, at a steady pace that the ports are not enough for. */
export class Turnover implements Activity {
  readonly mostMs: number;
  readonly #network: ArmNetwork;
  readonly #context: Pick<MeasureContext<Tables>, "emit" | "now">;
  readonly #options: TurnoverOptions;
  readonly #log: AttemptLog;
  readonly #seen = new Set<string>();
  readonly #startMs: number;
  #sampledMs = -Infinity;
  #tries = 0;
  #opened = 0;

  /**
   * @param network the network of the arm
   * @param context where rows go
   * @param options pace and end
   */
  constructor(
    network: ArmNetwork,
    context: Pick<MeasureContext<Tables>, "emit" | "now">,
    options: TurnoverOptions,
  ) {
    this.mostMs = options.mostMs;
    this.#network = network;
    this.#context = context;
    this.#options = options;
    this.#log = new AttemptLog(context, network.arm.variant, "turnover");
    this.#startMs = context.now();
  }

  step(): boolean {
    this.#network.enter();
    const { ratePerSecond, enough, enoughAgain, sampleMs } = this.#options;
    const nowMs = this.#context.now();
    const elapsedMs = nowMs - this.#startMs;
    // A step takes no longer than what was due when it began.
    for (const due = elapsedMs / 1000 * ratePerSecond; this.#tries < due;) this.#try();
    if (nowMs - this.#sampledMs >= sampleMs) this.#sample();
    const again = this.#opened - this.#seen.size;
    return elapsedMs < this.mostMs && this.#opened < enough && again < enoughAgain;
  }

  end(): void {
    this.#network.enter();
    this.#sample();
    this.#log.end();
    this.#network[Symbol.dispose]();
  }

  #try(): void {
    const { pairs } = this.#network;
    const pair = pairs[this.#tries++ % pairs.length]!;
    const startMs = this.#context.now();
    const opened = this.#network.open(pair);
    if (!opened.ok) return this.#log.failed(startMs, opened.kind);
    this.#log.opened(startMs, opened);
    this.#opened++;
    this.#seen.add(slotOf(this.#network.arm, opened.ends));
    const server = pair.destination.accept();
    if (server === null) throw new Error("Cannot accept connection as none is waiting");
    this.#network.close(opened.client, server);
  }

  #sample(): void {
    const { variant } = this.#network.arm;
    this.#sampledMs = this.#context.now();
    this.#context.emit("timewait", { variant, seenMs: this.#sampledMs, ...this.#network.timeWait() });
  }
}
