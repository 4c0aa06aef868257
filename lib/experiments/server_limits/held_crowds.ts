import type { CrowdBehaviour, HeldCrowd } from "../../load/mod.ts";
import { pause } from "../../system/mod.ts";
import { warnOfLost } from "../_shared/shards.ts";
import type { Crowd } from "./arm_rows.ts";
import type { Arm } from "./mode.ts";
import type { Stage } from "./stage.ts";
import { targetsOf } from "./subject.ts";
import type { Watch } from "./watch.ts";

/** How long the ends of closed connections may take to be gone from both sides, in milliseconds. */
export const GONE_LIMIT_MS = 5000;
const GONE_INTERVAL_MS = 50;

/** Which connections are opened, and how that is told. */
export interface OpenOptions {
  /** How many. */
  readonly connections: number;
  /** What they do. */
  readonly behaviour: CrowdBehaviour;
  /** What they request. */
  readonly path: string;
  /** How many the arm has opened before, for the progress. @default {0} */
  readonly before?: number;
}

/** The connections of one arm: they may be opened in several steps, and are held until the end. */
export class HeldCrowds implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #arm: Arm;
  readonly #startMs: number;
  readonly #crowds: { readonly atMs: number; readonly crowd: HeldCrowd }[] = [];

  /**
   * Begins with none.
   *
   * @param stage what the run measures with
   * @param arm whose connections they are
   */
  constructor(stage: Stage, arm: Arm) {
    this.#stage = stage;
    this.#arm = arm;
    this.#startMs = stage.context.now();
  }

  /** When the arm began. */
  get startMs(): number {
    return this.#startMs;
  }

  /**
   * Opens some more.
   *
   * @param options which
   * @returns whether they were opened: not when the arm is given up meanwhile
   */
  async open({ connections, behaviour, path, before = 0 }: OpenOptions): Promise<boolean> {
    const { context, generator, signal } = this.#stage;
    const atMs = context.now() - this.#startMs;
    const plan = this.#stage.plan(this.#arm, connections, behaviour);
    const targets = targetsOf(this.#stage.subject(this.#arm), path);
    try {
      const crowd = await generator.crowd(plan, targets, {
        signal,
        onProgress: ({ opened, failed }) =>
          context.progress(
            before + opened + failed,
            this.#arm.connections,
            `${this.#arm.variant}: opening connections`,
          ),
      });
      this.#crowds.push({ atMs, crowd });
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** How many are open now; `null` when the client does not tell. */
  async countOpen(): Promise<number | null> {
    let sum: number | null = 0;
    for (const { crowd } of this.#crowds) {
      const { open } = await crowd.counts();
      sum = open === null || sum === null ? null : sum + open;
    }
    return sum;
  }

  /** What became of them so far. */
  async rows(): Promise<Crowd[]> {
    const crowds: Crowd[] = [];
    for (const { atMs, crowd } of this.#crowds) {
      warnOfLost(crowd, this.#stage.context);
      crowds.push({ atMs, rows: await crowd.rows(), lost: crowd.lost });
    }
    return crowds;
  }

  /**
   * Closes them, and looks at the servers once more when both sides have noticed, or should have.
   *
   * @param watch what looks at the servers
   */
  async close(watch: Watch): Promise<void> {
    await this[Symbol.asyncDispose]();
    const { context } = this.#stage;
    const deadlineMs = context.now() + GONE_LIMIT_MS;
    // A pool's connections end some time after it was closed.
    while (watch.connections() > 0 && context.now() < deadlineMs) await pause(GONE_INTERVAL_MS);
    await watch.read("after", 0);
  }

  /** Closes them. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { crowd } of this.#crowds.splice(0)) await crowd[Symbol.asyncDispose]();
  }
}
