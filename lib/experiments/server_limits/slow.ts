import { armBudgetMs, type ArmPlan, measureArm } from "./measure_arm.ts";
import { type Arm, brakesOf, type Mode } from "./mode.ts";
import type { Values } from "./params.ts";
import { slowMetrics } from "./slow_metrics.ts";

/** As many as the claim speaks of. */
const OWN_CONNECTIONS = 500;

/** How much longer an answer is held back for each request that has to arrive first, in milliseconds. */
const HOLD_MS_PER_CONNECTION = 0.5;

/** How long the last answers may take beyond the time for which they are held back, in milliseconds. */
const LAST_ANSWER_LIMIT_MS = 3000;

/** Requests whose answers the server holds back: a wait by design, which is no failure. */
export const slow: Mode = {
  arms: (params) => [armOf(params)],
  budgetMs: (params) => armBudgetMs(armOf(params), planOf(params), params),
  measure: (stage) => measureArm(stage, armOf(stage.params), planOf(stage.params)),
  summarize: slowMetrics,
};

function armOf(params: Values): Arm {
  const { client, stack, serverWorkers: workers, connections } = params;
  return {
    ...{ variant: client, client, stack, workers, brakes: brakesOf(params) },
    connections: connections || OWN_CONNECTIONS,
  };
}

function planOf(params: Values): ArmPlan {
  const holdMs = Math.ceil(params.duration + armOf(params).connections * HOLD_MS_PER_CONNECTION);
  const ownPath = `/slow?ms=${holdMs}`;
  return {
    ownPath,
    behaviour: { kind: "slow" },
    steps: 1,
    looks: 1,
    forMs: holdMs + LAST_ANSWER_LIMIT_MS,
    everyMs: 250,
    text: "requests wait for their answers",
    // The lab's own server does hold answers back: where opening took as long, they have come by then.
    warningOf: (rows, path) =>
      path === ownPath || rows.length === 0 || rows.some(({ status }) => status === null) ? null : {
        code: "nothing-waited",
        message: `Nothing waited: every request for ${path} was answered by the time that all were sent`,
        remedy: "Name a path that is slow (--path /slow)",
      },
    isOver: (rows) =>
      rows.every(({ status, failure, closedMs }) => status !== null || failure !== null || closedMs !== null),
  };
}
