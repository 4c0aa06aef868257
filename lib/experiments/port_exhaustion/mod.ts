import { defineExperiment, type Experiment } from "../contract.ts";
import { armsOf, portsOf, predict } from "./arms.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { CONNECTION_BUDGET_MS, measure, WATCH_SHARE } from "./measure.ts";
import { params, type Values } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";

/** How long Linux, which alone has namespaces, keeps a socket in TIME_WAIT, in milliseconds. */
const TIME_WAIT_MS = 60_000;

/** What an arm takes at most beside its connections, in milliseconds: its turnover where ports are used again. */
const ARM_BUDGET_MS = 4000;

/** How often each connection of an arm is made and closed, at most. */
const MOST_TURNS = 4;

const PROVOCATIONS_BUDGET_MS = 5000;

/** Descriptors beside the connections of an arm: listeners, what is followed, networks that are kept. */
const SPARE_DESCRIPTORS = 256;

/** What the ports of a client are enough for: predicted, and done in a small private range. */
const portExhaustion: Experiment = defineExperiment({
  id: "port-exhaustion",
  version: 1,
  title: "When local ports run out",
  question: "How many connections are a client's ports enough for, and at what rate?",
  params,
  tables,
  needs(params) {
    portsOf(params);
    armsOf(params);
    return { net: [], namespace: "own" };
  },
  budgetMs(params) {
    const connections = connectionsOfArms(params);
    const connectionsMs = MOST_TURNS * CONNECTION_BUDGET_MS *
      connections.reduce((sum, count) => sum + count, 0);
    const watchMs = params.watchTimeWait ? WATCH_SHARE * TIME_WAIT_MS : 0;
    return PROVOCATIONS_BUDGET_MS + connectionsMs + connections.length * ARM_BUDGET_MS + watchMs;
  },
  descriptors: (params) => Math.max(...connectionsOfArms(params)) + SPARE_DESCRIPTORS,
  measure,
  summarize,
  figures,
  claims,
});

/** The connections that each arm holds at once. */
function connectionsOfArms(params: Values): number[] {
  const ports = portsOf(params);
  return armsOf(params).map((arm) => predict(arm, ports, { timeWaitMs: 0, loopback: true }).connections);
}

export default portExhaustion;
