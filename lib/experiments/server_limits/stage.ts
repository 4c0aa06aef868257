import type { CrowdBehaviour, CrowdPlan, Generator } from "../../load/mod.ts";
import { pause } from "../../system/mod.ts";
import type { MeasureContext, ServerEnd } from "../contract.ts";
import { isLoopback } from "../_shared/allowed_target.ts";
import { knock } from "../_shared/knock.ts";
import { openGenerator, shardHandles } from "../_shared/shards.ts";
import type { Destination } from "../_shared/subject.ts";
import { endText, serverEnded, serverSilent } from "./arm_rows.ts";
import type { Arm } from "./mode.ts";
import type { Values } from "./params.ts";
import { UnreachableError } from "./stats_poll.ts";
import { serverFdsOf, startedSubject, type Subject, targetSubject } from "./subject.ts";
import type { Tables } from "./tables.ts";
import { Watch } from "./watch.ts";

/** How many connections are being opened at once: what the accept queue of every stack takes. */
export const BURST = 128;

/**
 * How long what is under way may go on when a server has ended, in milliseconds, beside what each connection may take:
 * what fails by that is told.
 */
const END_GRACE_MS = 1000;

/** How long the end of a server may take to be known when it takes no connection any more, in milliseconds. */
const END_KNOWN_MS = 1000;

/** What every mode measures with. */
export class Stage implements AsyncDisposable {
  /** The parameters. */
  readonly params: Values;
  /** Where rows and progress go. */
  readonly context: MeasureContext<Tables>;
  /** What makes the load: threads of this process, or shards. */
  readonly generator: Generator;
  /** Aborts when the run is to stop, or the arm at hand is given up. */
  readonly signal: AbortSignal;
  readonly #target: Destination | null;
  /** Servers that did not answer in time, by their names. */
  readonly #silent = new Set<string>();

  private constructor(
    params: Values,
    context: MeasureContext<Tables>,
    { generator, target }: { generator: Generator; target: Destination | null },
    signal = context.signal,
  ) {
    this.params = params;
    this.context = context;
    this.generator = generator;
    this.signal = signal;
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

  /** Why the arm at hand is given up; `null` when it is not, or the whole run is to stop. */
  get givenUp(): string | null {
    return this.signal.aborted && !this.context.signal.aborted ? `${this.signal.reason.message}` : null;
  }

  /**
   * Measures an arm, unless a server of it has ended or did not answer before. When that comes to be meanwhile, the arm
   * is given up.
   *
   * @param arm the arm
   * @param limitMs what it may take, in milliseconds
   * @param work measures, with a stage of the arm's own, and returns soon after its signal has aborted
   * @returns why it was not begun; `null` when it was
   */
  async measure(arm: Arm, limitMs: number, work: (stage: Stage) => Promise<void>): Promise<string | null> {
    const gone = this.#gone(arm);
    if (gone !== null) return `Not begun: ${gone}`;
    const givingUp = new AbortController();
    const giveUp = (reason: string) => givingUp.abort(new Error(reason));
    const name = this.#nameOf(arm);
    const timer = setTimeout(() => {
      this.#silent.add(name);
      const reason = `${name} did not answer within ${Math.round(limitMs / 1000)} s`;
      this.context.warn(serverSilent(arm.variant, reason));
      giveUp(reason);
    }, limitMs);
    for (const { key } of this.subject(arm).servers) {
      if (key === null) continue;
      this.context.ended(key).then(async (end) => {
        await pause(END_GRACE_MS + (arm.timeoutMs ?? 0), givingUp.signal);
        giveUp(endedText(key, end));
      });
    }
    const { params, context, generator } = this;
    const signal = AbortSignal.any([context.signal, givingUp.signal]);
    try {
      await work(new Stage(params, context, { generator, target: this.#target }, signal));
      return null;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      await this.#knowEnd(arm);
      const gone = this.#gone(arm);
      if (gone !== null) return `Given up: ${gone}`;
      throw new Error(
        `Cannot measure ${arm.variant} as ${name} takes no connection: look whether it runs, and at what it said`,
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
      givingUp.abort();
    }
  }

  /** Why there is nothing to measure any more; `null` while there is. */
  #gone(arm: Arm): string | null {
    for (const { key } of this.subject(arm).servers) {
      const end = key === null ? null : this.context.endOf(key);
      if (end === null) continue;
      this.context.warn(serverEnded(arm.variant, end));
      return endedText(key!, end);
    }
    const name = this.#nameOf(arm);
    return this.#silent.has(name) ? `${name} did not answer before` : null;
  }

  /** A server that takes no connection has ended, perhaps, which comes to be known a little later. */
  async #knowEnd(arm: Arm): Promise<void> {
    const ends = this.subject(arm).servers.flatMap(({ key }) => key === null ? [] : this.context.ended(key));
    await Promise.race([...ends, pause(END_KNOWN_MS, this.context.signal)]);
  }

  /** What the servers of an arm are called, for people. */
  #nameOf(arm: Arm): string {
    const { words, servers } = this.subject(arm);
    const keys = servers.flatMap(({ key }) => key ?? []);
    return keys.length === 0 ? words : `Server ${keys.join(", ")} (${words})`;
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
    const isLimited = serverFdsOf(this.params, arm) > 0;
    return Watch.open({ variant, subject, clientPids, isLimited, context: this.context });
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

  /** Waits, or until the arm is given up. */
  async pause(ms: number): Promise<void> {
    await pause(ms, this.signal);
  }

  /** Ends what makes the load. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.generator[Symbol.asyncDispose]();
  }
}

function endedText(server: string, end: ServerEnd): string {
  return `Server ${server} ended (${endText(end)})`;
}
