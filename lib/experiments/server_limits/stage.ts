import type { CrowdBehaviour, CrowdPlan, Generator } from "../../load/mod.ts";
import { pause } from "../../system/mod.ts";
import type { MeasureContext, ServerEnd } from "../contract.ts";
import { isLoopback } from "../_shared/allowed_target.ts";
import { knock } from "../_shared/knock.ts";
import { openGenerator, shardHandles } from "../_shared/shards.ts";
import type { Destination } from "../_shared/subject.ts";
import type { Arm } from "./mode.ts";
import type { Values } from "./params.ts";
import { startedSubject, type Subject, targetSubject } from "./subject.ts";
import type { Tables } from "./tables.ts";
import { Watch } from "./watch.ts";

/** How many connections are being opened at once: what the accept queue of every stack takes. */
export const BURST = 128;

/** What every mode measures with. */
export class Stage implements AsyncDisposable {
  /** The parameters. */
  readonly params: Values;
  /** Where rows and progress go. */
  readonly context: MeasureContext<Tables>;
  /** What makes the load: threads of this process, or shards. */
  readonly generator: Generator;
  readonly #target: Destination | null;

  private constructor(
    params: Values,
    context: MeasureContext<Tables>,
    { generator, target }: { generator: Generator; target: Destination | null },
  ) {
    this.params = params;
    this.context = context;
    this.generator = generator;
    this.#target = target;
  }

  /**
   * Makes what a mode measures with.
   *
   * @param params the parameters
   * @param context where rows and progress go
   * @returns the stage
   * @throws {Error} the target does not answer a first request
   */
  static async open(params: Values, context: MeasureContext<Tables>): Promise<Stage> {
    const { shards, target: url } = params;
    const target = url === null ? null : (await knock(url, context)).next();
    return new Stage(params, context, { generator: await openGenerator(shards, context), target });
  }

  /** Whether client and servers share this machine. */
  get local(): boolean {
    return this.#target === null || isLoopback(this.#target.address);
  }

  /** What an arm is measured against. */
  subject(arm: Arm): Subject {
    const { params, context: { servers } } = this;
    return this.#target === null
      ? startedSubject(params, arm, servers)
      : targetSubject(params.target!, this.#target);
  }

  /**
   * Begins to look at the servers of an arm.
   *
   * @param arm the arm
   * @returns the watch
   */
  watch(arm: Arm): Promise<Watch> {
    const { variant } = arm;
    const subject = this.subject(arm);
    const shards = shardHandles(this.params.shards, this.context.servers).map(({ pid }) => pid);
    const clientPids = shards.length === 0 ? [Deno.pid] : shards;
    return Watch.open({ variant, subject, clientPids, context: this.context });
  }

  /**
   * The plan for connections of an arm.
   *
   * @param arm the arm
   * @param connections how many
   * @param behaviour what they do
   * @returns the plan
   */
  plan(arm: Arm, connections: number, behaviour: CrowdBehaviour): CrowdPlan {
    const { timeout } = this.params;
    return {
      client: arm.client,
      connections,
      behaviour,
      burst: Math.min(arm.burst ?? BURST, connections),
      timeoutMs: timeout > 0 ? timeout : arm.timeoutMs ?? null,
    };
  }

  /** How a server of an arm ended by itself, the first one to do so; `null` when none did. */
  endOf(arm: Arm): ServerEnd | null {
    for (const { key } of this.subject(arm).servers) {
      const end = key === null ? null : this.context.endOf(key);
      if (end !== null) return end;
    }
    return null;
  }

  /** Waits, or until the run is to stop. */
  async pause(ms: number): Promise<void> {
    await pause(ms, this.context.signal);
  }

  /** Ends what makes the load. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.generator[Symbol.asyncDispose]();
  }
}
