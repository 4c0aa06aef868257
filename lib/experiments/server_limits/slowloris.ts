import { MisuseError } from "../../record/mod.ts";
import { armBudgetMs, type ArmPlan, measureArm } from "./measure_arm.ts";
import { type Arm, type Brakes, brakesOf, type Mode } from "./mode.ts";
import type { Values } from "./params.ts";
import type { Stage } from "./stage.ts";
import { slowlorisMetrics } from "./slowloris_metrics.ts";
import { OBSERVED_CONNECTIONS, recordDefaults } from "./stack_defaults.ts";

/** As many as the claim speaks of. */
const OWN_CONNECTIONS = 200;

/** How often a server of the lab looks for connections over their time: it adds so much of a limit to it. */
const CHECKING_SHARE = 0.1;

/** How much later than that a connection may still be reclaimed, in milliseconds. */
const LATE_MS = 500;

/** The arms by name. */
export const SLOWLORIS_ARMS = {
  /** The server has no header timeout, and each connection is silent after half a header. */
  off: "no-timeout",
  /** The server has one. */
  silent: "timeout",
  /** The server has one, and each connection sends a byte more every so often. */
  dripping: "timeout-drip",
  /** A server that is not the lab's, as it is; silent connections. */
  foreign: "as-it-is",
  /** The same, and each connection sends a byte more every so often. */
  foreignDripping: "as-it-is-drip",
} as const;

/** What observing defaults takes at most beside the time for which connections are watched, in milliseconds. */
const DEFAULTS_BUDGET_MS = 15_000;

const DRIPPING: ReadonlySet<string> = new Set([SLOWLORIS_ARMS.dripping, SLOWLORIS_ARMS.foreignDripping]);

/** Headers that never end: who gets the connections back, and when. */
export const slowloris: Mode = {
  arms(params) {
    requireFit(params);
    return [...loadedArms(params), ...defaultsArms(params)];
  },
  sideBySide: true,
  budgetMs: (params) =>
    loadedArms(params).reduce(
      (sum, arm) => sum + armBudgetMs(arm, planOf(arm, params), params),
      watchMsOf(params) + DEFAULTS_BUDGET_MS,
    ),
  async measure(stage) {
    const { params } = stage;
    const parts = [
      ...loadedArms(params).map((arm) => () => measureArm(stage, arm, planOf(arm, params))),
      ...defaultsArms(params).map((arm) => () => measureDefaults(stage, arm)),
    ];
    // Side by side, as each takes the whole time, where each has a server of its own.
    if (params.serverCommand === null) await Promise.all(parts.map((measure) => measure()));
    else for (const measure of parts) await measure();
  },
  summarize: slowlorisMetrics,
};

async function measureDefaults(stage: Stage, arm: Arm): Promise<void> {
  const watchMs = watchMsOf(stage.params);
  await stage.measure(arm, watchMs + DEFAULTS_BUDGET_MS, (stage) => recordDefaults(stage, arm, watchMs));
}

function requireFit({ target, client, drip, headerTimeout, stack }: Values): void {
  const cannot = (reason: string) => new MisuseError(`Cannot start slowloris as ${reason}`);
  if (target !== null) {
    throw cannot("it is for servers that the lab itself starts, and --target runs already");
  }
  if (client === "fetch") throw cannot("fetch sends no half headers: use --client epoll or raw");
  if (stack === "node" && headerTimeout > 0 && drip >= headerTimeout) {
    throw cannot(
      "bytes that come later than the timeout tell nothing: --drip must be below --header-timeout",
    );
  }
}

function loadedArms(params: Values): Arm[] {
  const { off, silent, dripping, foreign, foreignDripping } = SLOWLORIS_ARMS;
  const { client, connections, headerTimeout: headerTimeoutMs, stack } = params;
  const arm = (variant: string, brakes: Partial<Brakes> = {}): Arm => ({
    ...{ variant, client, stack, workers: params.serverWorkers, connections: connections || OWN_CONNECTIONS },
    brakes: { ...brakesOf(params), ...brakes },
  });
  if (params.serverCommand !== null) return [arm(foreign), arm(foreignDripping)];
  // Deno.serve has none.
  if (stack === "deno" || headerTimeoutMs === 0) return [arm(off)];
  return [arm(off), arm(silent, { headerTimeoutMs }), arm(dripping, { headerTimeoutMs })];
}

/** A server of each stack that is given no limits: what it has by itself. */
function defaultsArms({ client, serverCommand }: Values): Arm[] {
  const stacks = serverCommand === null ? ["deno", "node"] as const : ["node"] as const;
  return stacks.map((stack) => ({
    ...{ variant: `defaults-${stack}`, client, stack, workers: 1, connections: OBSERVED_CONNECTIONS },
    brakes: { headerTimeoutMs: 0, idleTimeoutMs: 0, requestTimeoutMs: 0, maxConnections: 0 },
  }));
}

function planOf({ variant }: Arm, params: Values): ArmPlan {
  return {
    ownPath: "/static",
    behaviour: { kind: "half-header", dripMs: DRIPPING.has(variant) ? params.drip : null },
    ...{ steps: 1, looks: 1, forMs: watchMsOf(params), everyMs: 250 },
    text: "headers do not end",
  };
}

/** Long enough for a header timeout to show in the arms that have one. */
function watchMsOf({ duration, headerTimeout, requestTimeout }: Values): number {
  return Math.max(duration, Math.max(headerTimeout, requestTimeout) * (1 + CHECKING_SHARE) + LATE_MS);
}
