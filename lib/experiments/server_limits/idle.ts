import type { LoadClient } from "../../load/mod.ts";
import { idleMetrics } from "./idle_metrics.ts";
import { armBudgetMs, type ArmPlan, measureArm } from "./measure_arm.ts";
import { type Arm, brakesOf, type Mode } from "./mode.ts";
import type { Values } from "./params.ts";

/** As many as the claim speaks of. */
const OWN_CONNECTIONS = 10_000;

/** In how many sizes a server's memory is measured: more make its interval narrower. */
const STEPS = 6;

/** Of fewer connections a server's memory tells little, in however many sizes. */
const FEW_CONNECTIONS = 1000;
const FEW_STEPS = 3;

/** Connections that are opened, make one request each, and then are silent. */
export const idle: Mode = {
  arms: armsOf,
  budgetMs: (params) =>
    armsOf(params).reduce((sum, arm) => sum + armBudgetMs(arm, planOf(arm, params), params), 0),
  async measure(stage) {
    for (const arm of armsOf(stage.params)) {
      if (stage.context.signal.aborted) return;
      await measureArm(stage, arm, planOf(arm, stage.params));
    }
  },
  summarize: idleMetrics,
};

/** How long a server that is to run short may take to answer, in milliseconds: some never do. */
const SHORT_LIMIT_MS = 2000;

function isShort({ maxConnections, serverFds }: Values): boolean {
  return maxConnections > 0 || serverFds > 0;
}

/** The arm whose requests are all on their way before the first is answered. */
export const AT_ONCE = "fetch-at-once";

/**
 * Beside the client that is asked for, the pool of fetch: it makes as many requests, as many at a time as connections
 * are being opened by the other, and all at once.
 */
function armsOf(params: Values): Arm[] {
  const { client, stack, serverWorkers: workers } = params;
  const connections = params.connections || OWN_CONNECTIONS;
  const arm = (variant: string, client: LoadClient): Arm => ({
    ...{ variant, client, stack, workers, connections, brakes: brakesOf(params) },
    ...isShort(params) ? { timeoutMs: SHORT_LIMIT_MS } : {},
  });
  const sockets = client === "fetch" ? [] : [arm(client, client)];
  return [...sockets, arm("fetch", "fetch"), { ...arm(AT_ONCE, "fetch"), burst: connections }];
}

function planOf({ client, connections }: Arm, { clientFds, duration }: Values): ArmPlan {
  // A pool that is asked for more uses what it holds already, and tells nothing of what it holds. A process that may
  // be out of descriptors opens what it can at once.
  const isOneSize = client === "fetch" || clientFds > 0;
  return {
    ownPath: "/static",
    behaviour: { kind: "idle" },
    steps: isOneSize ? 1 : connections < FEW_CONNECTIONS ? FEW_STEPS : STEPS,
    looks: isOneSize ? 1 : 4,
    forMs: client === "fetch" ? 0 : duration,
    everyMs: 500,
    text: "connections are silent",
  };
}
