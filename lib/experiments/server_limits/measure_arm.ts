import { type CrowdBehaviour, type CrowdRow, shareOf } from "../../load/mod.ts";
import type { Warning } from "../../record/mod.ts";
import { emitArm, emitUnmeasured } from "./arm_rows.ts";
import { GONE_LIMIT_MS, HeldCrowds } from "./held_crowds.ts";
import type { Arm } from "./mode.ts";
import type { Values } from "./params.ts";
import { BURST, type Stage } from "./stage.ts";
import type { Watch } from "./watch.ts";

/** How long a server is left alone before it is looked at: memory is allocated and given back in jumps. */
const LOOK_INTERVAL_MS = 50;

/** How often servers are looked at before they are taken to have what was sent. */
const MOST_SETTLING_LOOKS = 20;

/** After how long a process of the client that says nothing counts as lost, in milliseconds: no server is to blame. */
const SHARD_LOST_MS = 15_000;

/** What opening and closing a connection takes at most, in milliseconds: twenty times what it takes. */
const CONNECTION_BUDGET_MS = 2;

/** What looking at a server takes at most, in milliseconds. */
const LOOK_BUDGET_MS = 100;

/** What the connections of an arm do, and for how long they are watched. */
export interface ArmPlan {
  /** What is requested of the lab's own server, where the run does not say. */
  readonly ownPath: string;
  /** What the connections do. */
  readonly behaviour: CrowdBehaviour;
  /** In how many steps they are opened. */
  readonly steps: number;
  /** How often the servers are looked at after each step. */
  readonly looks: number;
  /** How long they are watched once all are open, in milliseconds. */
  readonly forMs: number;
  /** How often, in milliseconds. */
  readonly everyMs: number;
  /** What they do, in words. */
  readonly text: string;
  /** What is to be told once all are open. @default {nothing} */
  readonly warningOf?: (rows: readonly CrowdRow[], path: string) => Warning | null;
  /** Whether the watch may end before its time. @default {never} */
  readonly isOver?: (rows: readonly CrowdRow[]) => boolean;
}

/** What bringing an arm to its end takes at most, in milliseconds: a server that does not answer is asked once more. */
const END_BUDGET_MS = 6000 + GONE_LIMIT_MS;

/** By how much longer than that an arm may take before it is given up, in milliseconds: machines are busy. */
const SPARE_MS = 10_000;

/**
 * What measuring an arm takes at most: what it may take until it is given up, and its end.
 *
 * @param arm the arm
 * @param plan what its connections do
 * @param params the parameters
 * @returns the time in milliseconds
 */
export function armBudgetMs(arm: Arm, plan: ArmPlan, params: Values): number {
  return armLimitMs(arm, plan, params) + END_BUDGET_MS;
}

function armLimitMs(arm: Arm, plan: ArmPlan, { shards, timeout }: Values): number {
  const { burst = BURST, connections } = arm;
  const timeoutMs = timeout || (arm.timeoutMs ?? 0);
  const looks = 2 + plan.steps * (plan.looks + MOST_SETTLING_LOOKS) + Math.ceil(plan.forMs / plan.everyMs);
  return Math.ceil(connections / burst) * timeoutMs + connections * CONNECTION_BUDGET_MS +
    looks * shards * LOOK_BUDGET_MS + plan.forMs + SPARE_MS + (shards > 1 ? SHARD_LOST_MS : 0);
}

/**
 * Opens the connections of an arm, watches them, and records what became of them and of the servers.
 *
 * @param stage what the run measures with
 * @param arm the arm
 * @param plan what its connections do
 */
export async function measureArm(stage: Stage, arm: Arm, plan: ArmPlan): Promise<void> {
  const path = stage.subject(arm).ownPath ?? (stage.params.path || plan.ownPath);
  const limitMs = armLimitMs(arm, plan, stage.params);
  const givenUp = await stage.measure(arm, limitMs, (stage) => measureBegun(stage, arm, plan, path));
  if (givenUp !== null) emitUnmeasured(stage, arm, path, givenUp);
}

async function measureBegun(stage: Stage, arm: Arm, plan: ArmPlan, path: string): Promise<void> {
  const { context } = stage;
  using watch = await stage.watch(arm);
  await watch.read("before", 0);
  await using crowds = new HeldCrowds(stage, arm);
  await open({ stage, arm, plan, watch, crowds, path });
  const openMs = context.now();
  const warning = plan.warningOf?.((await crowds.rows()).flatMap(({ rows }) => rows), path) ?? null;
  if (warning !== null) context.warn(warning);
  await look({ stage, arm, plan, watch, crowds });
  const { behaviour } = plan;
  await emitArm(stage, arm, watch, {
    ...{ path, asked: arm.connections, crowds: await crowds.rows(), watchedMs: context.now() - openMs },
    dripMs: behaviour.kind === "half-header" ? behaviour.dripMs : null,
  });
  await crowds.close(watch);
}

interface Measured {
  readonly stage: Stage;
  readonly arm: Arm;
  readonly plan: ArmPlan;
  readonly watch: Watch;
  readonly crowds: HeldCrowds;
}

async function open({ stage, arm, plan, watch, crowds, path }: Measured & { path: string }): Promise<void> {
  const steps = Math.min(plan.steps, arm.connections);
  for (let step = 0, before = 0; step < steps; step++) {
    const connections = shareOf(arm.connections, step, steps);
    if (!await crowds.open({ connections, behaviour: plan.behaviour, path, before })) return;
    before += connections;
    await settle(stage, watch, crowds);
    for (let look = 0; look < plan.looks; look++) {
      if (look > 0) await stage.pause(LOOK_INTERVAL_MS);
      await watch.read("held", crowds.countOpen());
    }
  }
}

/** Waits until the servers have got what the client has sent: until they tell the same twice. */
async function settle(stage: Stage, watch: Watch, crowds: HeldCrowds): Promise<void> {
  let before = "";
  for (let look = 0; look < MOST_SETTLING_LOOKS; look++) {
    const readings = await watch.read("opening", crowds.countOpen());
    const told = readings.map(({ accepted, inFlight, atServer }) => [accepted, inFlight, atServer]).join();
    if (told === before) return;
    before = told;
    await stage.pause(LOOK_INTERVAL_MS);
  }
}

async function look({ stage, arm, plan, watch, crowds }: Measured): Promise<void> {
  const { context, signal } = stage;
  const { forMs, everyMs, text, isOver } = plan;
  const untilMs = context.now() + forMs;
  while (context.now() < untilMs && !signal.aborted) {
    if (isOver?.((await crowds.rows()).flatMap(({ rows }) => rows))) return;
    context.progress(forMs - (untilMs - context.now()), forMs, `${arm.variant}: ${text}`);
    await stage.pause(Math.max(0, Math.min(everyMs, untilMs - context.now())));
    await watch.read("watched", crowds.countOpen());
  }
}
