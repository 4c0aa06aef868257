import { pause } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { ArmNetwork } from "./arm_network.ts";
import { type Arm, armsOf, type Ports, portsOf, predict } from "./arms.ts";
import { FollowedSockets } from "./followed_sockets.ts";
import { holdAll } from "./hold.ts";
import type { Values } from "./params.ts";
import { provokeAll } from "./provoke.ts";
import type { Tables } from "./tables.ts";
import { type Activity, Turnover } from "./turnover.ts";

/** How many times faster than predicted connections are tried, so that ports run out. */
const OVERLOAD = 1.5;

/** The share of the ports that must have come round once. */
const AGAIN_SHARE = 0.2;

/** How often the ports are used where nothing is predicted to hold them: a ceiling would show. */
const UNBOUNDED_TURNS = 2;

/** Tries per second where no rate is predicted. */
const UNBOUNDED_RATE = 5000;

/** How much longer than the system says TIME_WAIT is waited for. */
const TIME_WAIT_SLACK = 1.1;

/** What comes on top of that, in milliseconds: a second for kernels whose reuse counts in seconds, and some. */
const TURNOVER_SLACK_MS = 2500;

/** How often the ports in TIME_WAIT are counted while one is held. */
const SAMPLES = 120;
const LEAST_SAMPLE_MS = 50;

/** Sockets that are followed to their end. */
const FOLLOWED_SOCKETS = 100;

const TICK_MS = 5;

const TURNOVER_TEXT = "opening and closing faster than ports come back";

/** Tries per second that this process keeps up with in several networks at once. */
const MOST_RATE = 2000;

/** What a connection takes at most, its closing included, in milliseconds: ten times what it takes. */
export const CONNECTION_BUDGET_MS = 1;

/** The longest that what waits for TIME_WAIT takes, as a multiple of TIME_WAIT. */
export const WATCH_SHARE = TIME_WAIT_SLACK + AGAIN_SHARE / OVERLOAD;

/**
 * Measures arm by arm, each in a network of its own, how many connections its ports are enough for, and at what
 * rate; what waits for TIME_WAIT goes on side by side.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  await new Measurement(params, context).run();
}

class Measurement {
  readonly #params: Values;
  readonly #context: MeasureContext<Tables>;
  readonly #ports: Ports;
  readonly #arms: readonly Arm[];
  readonly #timeWaitMs: number;

  constructor(params: Values, context: MeasureContext<Tables>) {
    const { timeWaitMs } = context.environment.network;
    if (timeWaitMs === null) {
      throw new Error("Cannot predict as it is not known how long TIME_WAIT lasts here");
    }
    this.#params = params;
    this.#context = context;
    this.#ports = portsOf(params);
    this.#arms = armsOf(params);
    this.#timeWaitMs = timeWaitMs;
  }

  async run(): Promise<void> {
    const { signal } = this.#context;
    this.#warnOfLoopback();
    this.#warnOfBuckets();
    await provokeAll(this.#context);
    for (const [place, arm] of this.#arms.entries()) {
      if (signal.aborted) return;
      this.#context.progress(place, this.#arms.length, `${arm.variant}: until no port is left`);
      await this.#hold(arm);
    }
    const [soon, late] = [false, true].map((isLate) =>
      this.#arms.filter((arm) => this.#waitsForTimeWait(arm) === isLate)
    ) as [Arm[], Arm[]];
    for (const arms of this.#abreast(soon)) {
      if (signal.aborted) return;
      await this.#goOn(arms.map((arm) => this.#turnover(arm)), TURNOVER_TEXT);
    }
    if (!this.#params.watchTimeWait || signal.aborted) return;
    await this.#goOn([
      ...late.map((arm) => this.#turnover(arm)),
      new FollowedSockets(this.#ports, this.#context, {
        sockets: Math.min(FOLLOWED_SOCKETS, this.#params.ports),
        mostMs: WATCH_SHARE * this.#timeWaitMs + TURNOVER_SLACK_MS,
      }),
    ], TURNOVER_TEXT);
  }

  #predict(arm: Arm) {
    return predict(arm, this.#ports, { timeWaitMs: this.#timeWaitMs, loopback: true });
  }

  #waitsForTimeWait(arm: Arm): boolean {
    return this.#predict(arm).heldMs === this.#timeWaitMs;
  }

  async #hold(arm: Arm): Promise<void> {
    using network = new ArmNetwork(arm, this.#ports);
    const outcome = await holdAll(network, this.#context);
    if (outcome === null) return;
    const { variant, reuse, destinations, sources, bind, reuseAddress, closes, linger0 } = arm;
    this.#context.emit("arms", {
      variant,
      low: this.#ports.range[0],
      ports: this.#params.ports,
      reserved: this.#ports.reserved || null,
      ...{ reuse, destinations, sources, bind, reuseAddress, closes, linger0 },
      timeWaitPresetMs: this.#timeWaitMs,
      ...outcome,
    });
  }

  /** Arms that go on side by side, without slowing each other down. */
  #abreast(arms: readonly Arm[]): Arm[][] {
    const groups: Arm[][] = [];
    for (const arm of arms) {
      const last = groups.at(-1);
      const rate = last?.reduce((sum, other) => sum + this.#rateOf(other), this.#rateOf(arm)) ?? Infinity;
      if (rate <= MOST_RATE) last!.push(arm);
      else groups.push([arm]);
    }
    return groups;
  }

  /** Tries per second. */
  #rateOf(arm: Arm): number {
    const { sustainedRatePerSecond } = this.#predict(arm);
    return sustainedRatePerSecond === null ? UNBOUNDED_RATE : OVERLOAD * sustainedRatePerSecond;
  }

  #turnover(arm: Arm): Turnover {
    const { connections, heldMs, sustainedRatePerSecond } = this.#predict(arm);
    const isBounded = sustainedRatePerSecond !== null;
    const enough = isBounded ? Infinity : UNBOUNDED_TURNS * connections;
    return new Turnover(new ArmNetwork(arm, this.#ports), this.#context, {
      ratePerSecond: this.#rateOf(arm),
      enough,
      enoughAgain: isBounded ? Math.ceil(AGAIN_SHARE * connections) : Infinity,
      mostMs: (isBounded ? WATCH_SHARE * heldMs : enough * CONNECTION_BUDGET_MS) + TURNOVER_SLACK_MS,
      sampleMs: Math.max(LEAST_SAMPLE_MS, heldMs / SAMPLES),
    });
  }

  /** Lets activities go on side by side until each has no more to do, or the run is to stop. */
  async #goOn(activities: readonly Activity[], text: string): Promise<void> {
    const { signal, progress, now } = this.#context;
    const under = new Set(activities);
    const mostMs = Math.max(...activities.map(({ mostMs }) => mostMs));
    try {
      for (let [startMs, toldMs] = [now(), now()]; under.size > 0 && !signal.aborted; await pause(TICK_MS)) {
        for (const activity of under) {
          if (activity.step()) continue;
          activity.end();
          under.delete(activity);
        }
        if (now() - toldMs < 1000) continue;
        toldMs = now();
        progress(Math.min(toldMs - startMs, mostMs), mostMs, text);
      }
    } finally {
      for (const activity of under) activity.end();
    }
  }

  #warnOfLoopback(): void {
    if (!this.#arms.some(({ reuse }) => reuse === 2)) return;
    this.#context.warn({
      code: "loopback-reuse",
      message:
        "With tcp_tw_reuse 2 a port in TIME_WAIT is used again after a second over loopback, which is " +
        `all that is measured here: to another machine it is held for ${this.#timeWaitMs / 1000} s`,
      remedy: "See realLinkRatePerSecond for the rate over a network, or measure with --time-wait-reuse 0",
    });
  }

  #warnOfBuckets(): void {
    const { tcpMaxTwBuckets } = this.#context.environment.network;
    const most = Math.max(...this.#arms.map((arm) => this.#predict(arm).connections));
    if (tcpMaxTwBuckets === null || most <= tcpMaxTwBuckets) return;
    this.#context.warn({
      code: "time-wait-buckets",
      message:
        `An arm closes ${most} connections and the system keeps ${tcpMaxTwBuckets} sockets in TIME_WAIT: ` +
        "those beyond are dropped, and their ports are free at once",
      remedy: "Measure fewer --ports, or raise net.ipv4.tcp_max_tw_buckets",
    });
  }
}
