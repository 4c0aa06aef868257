import { type LoadPlan, type LoadTarget, loadWarnings } from "../../load/mod.ts";
import { MisuseError } from "../../record/mod.ts";
import { emitLoad } from "../_shared/load_rows.ts";
import { requestedPath } from "../_shared/requested_path.ts";
import { warnOfLost } from "../_shared/shards.ts";
import { serverEnded } from "./arm_rows.ts";
import { type Arm, brakesOf, type Mode } from "./mode.ts";
import type { Values } from "./params.ts";
import { processorShares, processorUse, serverShare } from "./processor_use.ts";
import type { Stage } from "./stage.ts";
import { targetsOf } from "./subject.ts";
import { isComputed, throughputMetrics, workersText } from "./throughput_metrics.ts";
import type { Watch } from "./watch.ts";

/** As many connections as the claim speaks of. */
const OWN_CONNECTIONS = 50;

/** The factor by which connections grow from load to load. */
const GROWTH = 4;

/** How long a first load takes, whose numbers do not count: code is compiled when it has been used for a while. */
const WARM_UP_MS = 300;

/** How long it is looked right before each load how fast the processors are, at most. */
const ALONE_MS = 500;

/** What a load takes at most beside its duration, in milliseconds. */
const LOAD_BUDGET_MS = 4000;

/** What is requested, and what that is called. */
interface Asked {
  readonly name: string;
  readonly path: string;
}

/** How many requests a server answers, over the number of connections: what it has at hand, and what it computes. */
export const throughput: Mode = {
  arms: armsOf,
  budgetMs(params) {
    return armsOf(params).reduce((sum, arm) => sum + armBudgetMs(params, arm), 0);
  },
  async measure(stage) {
    for (const arm of armsOf(stage.params)) {
      if (stage.context.signal.aborted) return;
      await stage.measure(arm, armBudgetMs(stage.params, arm), (stage) => measureArm(stage, arm));
    }
  },
  summarize: throughputMetrics,
};

function armBudgetMs(params: Values, { workers }: Arm): number {
  const loadMs = ALONE_MS + params.duration + 2 * (params.timeout + LOAD_BUDGET_MS);
  const loads = sizesOf(params, workers).length;
  return pathsOf(params, null).length * (loads * loadMs + WARM_UP_MS + LOAD_BUDGET_MS);
}

/** A server for each number of workers. */
function armsOf(params: Values): Arm[] {
  const { client, stack, serverWorkers, connections, threads, shards } = params;
  const most = connections || OWN_CONNECTIONS;
  if (most < threads * shards) {
    throw new MisuseError(
      `Cannot measure with ${most} connections as each of ${
        threads * shards
      } threads needs one: give fewer ` +
        "--threads and --shards, or more --connections",
    );
  }
  requestedPath(params.path, { preset: "/", difficulty: params.difficulty });
  const workers = isOurs(params) && serverWorkers > 1 ? [1, serverWorkers] : [1];
  return workers.map((workers) => ({
    ...{ variant: `workers-${workers}`, client, stack, workers, brakes: brakesOf(params), connections: most },
  }));
}

/** Whether the server is the lab's own: of others it is not known how many workers they have. */
function isOurs({ target, serverCommand }: Values): boolean {
  return target === null && serverCommand === null;
}

function connectionsText(connections: number): string {
  return connections === 1 ? "1 connection" : `${connections} connections`;
}

/** From one connection, or as many as there are threads, to all: more than there are workers, and just as many. */
function sizesOf({ threads, shards, connections }: Values, workers: number): number[] {
  const most = connections || OWN_CONNECTIONS;
  const sizes = new Set([workers]);
  for (let size = 1; size < most; size *= GROWTH) sizes.add(size);
  sizes.add(most);
  return [...sizes].filter((size) => size >= threads * shards && size <= most).sort((one, other) =>
    one - other
  );
}

function pathsOf({ path, difficulty }: Values, ownPath: string | null): Asked[] {
  if (path !== "" || ownPath !== null) {
    const asked = requestedPath(path, { preset: ownPath ?? "/", difficulty });
    return [{ name: asked, path: asked }];
  }
  return [
    { name: "static", path: "/static" },
    { name: "computing", path: `/compute?difficulty=${difficulty}` },
  ];
}

async function measureArm(stage: Stage, arm: Arm): Promise<void> {
  const { context, generator, params, signal } = stage;
  const subject = stage.subject(arm);
  using watch = await stage.watch(arm);
  const paths = pathsOf(params, subject.ownPath);
  const sizes = sizesOf(params, arm.workers);
  for (const [place, asked] of paths.entries()) {
    const targets = targetsOf(subject, asked.path);
    const warmUp = { ...planOf(stage, fewestOf(params, arm)), durationMs: WARM_UP_MS };
    await generator.load(warmUp, targets, { signal });
    for (const [step, connections] of sizes.entries()) {
      if (signal.aborted) return;
      const share = (elapsed: number) =>
        (place * sizes.length + step + elapsed) / (paths.length * sizes.length);
      await measureRate({ stage, arm, asked, targets, watch, share }, connections);
      const end = stage.endOf(arm);
      if (end === null) continue;
      context.warn(serverEnded(arm.variant, end));
      return;
    }
  }
}

interface Measured {
  readonly stage: Stage;
  readonly arm: Arm;
  readonly asked: Asked;
  readonly targets: readonly LoadTarget[];
  readonly watch: Watch;
  /** How much of the arm is done, when a share of the load at hand is. */
  readonly share: (elapsed: number) => number;
}

async function measureRate(
  { stage, arm, asked, targets, watch, share }: Measured,
  connections: number,
): Promise<void> {
  const { context, generator, signal } = stage;
  const workers = isOurs(stage.params) ? `, ${workersText(arm.workers)}` : "";
  const variant = `${asked.name}${workers}, ${connectionsText(connections)}`;
  const plan = planOf(stage, connections);
  const aloneRate = isComputed(asked.name) ? await measureAlone({ stage, arm, targets, watch }) : null;
  const before = processorUse(await watch.read("before", 0), context.now());
  let during: Promise<unknown> = Promise.resolve();
  const looking = setTimeout(() => during = watch.read("held", null), plan.durationMs / 2);
  const load = await generator.load(plan, targets, {
    signal,
    onProgress: (elapsedMs, sent) =>
      context.progress(share(Math.min(1, elapsedMs / plan.durationMs)), 1, `${variant}: ${sent} requests`),
  }).finally(() => clearTimeout(looking));
  await during;
  const after = processorUse(await watch.read("after", null), context.now());
  warnOfLost(load, context);
  for (const warning of loadWarnings(plan, load)) {
    context.warn({ ...warning, message: `${variant}: ${warning.message}` });
  }
  emitLoad(variant, load, context);
  context.emit("rates", {
    ...{ variant, arm: arm.variant, path: asked.name, connections },
    workers: isOurs(stage.params) ? arm.workers : null,
    aloneRate,
    serverCpuShare: serverShare(before, after, load.elapsedMs),
    ...processorShares(before, after),
  });
}

/**
 * What a server answers a second when each worker has one connection: a processor is not equally fast at all times, and
 * a rate is compared with what it made of the same requests right before.
 */
async function measureAlone(
  { stage, arm, targets, watch }: Pick<Measured, "stage" | "arm" | "targets" | "watch">,
): Promise<number | null> {
  const { generator, params, signal } = stage;
  // A server that tells its counts has done what the load before has left to it.
  await watch.read("before", 0);
  const { answered, lastEndMs } = await generator.load(
    {
      ...planOf(stage, fewestOf(params, arm)),
      ...{ durationMs: Math.min(ALONE_MS, params.duration), arrivals: { loop: "closed" } },
    },
    targets,
    { signal },
  );
  const sum = answered.reduce((sum, count) => sum + count, 0);
  return sum > 0 ? sum * 1000 / lastEndMs : null;
}

/** A connection for each worker, or for each thread of the client. */
function fewestOf({ threads, shards }: Values, { workers, connections }: Arm): number {
  return Math.min(connections, Math.max(workers, threads * shards));
}

function planOf({ params, context }: Stage, connections: number): LoadPlan {
  const { client, threads, duration, rate, timeout } = params;
  return {
    ...{ client, connections, threads, method: "GET", requests: null, keepRows: false, seed: context.seed },
    durationMs: duration,
    timeoutMs: timeout || null,
    arrivals: rate === null ? { loop: "closed" } : { loop: "open", ratePerSecond: rate, spacing: "constant" },
  };
}
