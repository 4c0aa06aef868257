import { requireAllowed } from "../_shared/allowed_target.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { descriptorsOfEach, requireFewProcesses, shardSpecs } from "../_shared/shards.ts";
import { netOf } from "../_shared/subject.ts";
import { defineExperiment, type Experiment, type ServerSpec } from "../contract.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { requireFit } from "./fit.ts";
import type { Mode } from "./mode.ts";
import { MODE_OF } from "./modes.ts";
import { params, type Values } from "./params.ts";
import { Stage } from "./stage.ts";
import { serversOf } from "./subject.ts";
import { tables } from "./tables.ts";
import { wallClaims } from "./wall_claims.ts";
import { wallFigures } from "./wall_figures.ts";

/** What starting servers and the measuring process may take, in milliseconds. */
const START_BUDGET_MS = 15_000;

/** What each of the processes that start at once adds to it, in milliseconds. */
const START_EACH_MS = 500;

/** What a server holds, and who runs out first. */
const serverLimits: Experiment = defineExperiment({
  id: "server-limits",
  version: 1,
  title: "What gives out first",
  question: "How many connections can a server hold, and is that number its own or its client's?",
  params,
  tables,
  needs(params) {
    requireFit(params);
    modeOf(params).arms(params);
    requireFewProcesses(params.shards, processesOf(params).length);
    return { net: netOfRun(params), namespace: "none", ...modeOf(params).needs?.(params) };
  },
  servers: processesOf,
  budgetMs: (params) => startBudgetMs(params) + modeOf(params).budgetMs(params),
  descriptors(params) {
    const { shards } = params;
    // Where there are shards, they hold the connections.
    const connections = shards > 1 || clientFdsOf(params) > 0 ? 0 : connectionsAtOnce(params);
    return modeOf(params).descriptors?.(params) ?? descriptorsOfEach({ shards, connections });
  },
  connections(params) {
    const { shards, target } = params;
    const each = modeOf(params).arms(params).map(({ connections }) => Math.ceil(connections / shards));
    const own = () =>
      target === null ? Math.max(...each) : each.reduce((sum, count) => sum + count * shards, 0);
    return modeOf(params).connections?.(params) ?? own();
  },
  async measure(params, context) {
    await using stage = await Stage.open(params, context);
    if (stage.local) context.warn(LOOPBACK);
    await modeOf(params).measure(stage);
  },
  summarize: (tables, params, seed) => modeOf(params).summarize(tables, params, seed),
  figures: { ...figures, ...wallFigures },
  claims: [...claims, ...wallClaims],
});

export default serverLimits;

/** A program of a person's own may take its time, and many servers that start at once. */
function startBudgetMs(params: Values): number {
  const { serverCommand, serverStart } = params;
  const ownMs = serverCommand === null ? 0 : serverStart;
  return START_BUDGET_MS + processesOf(params).length * START_EACH_MS + ownMs;
}

/** The servers, and the processes of the client. */
function processesOf(params: Values): ServerSpec[] {
  const { shards } = params;
  const [connections, fds] = [connectionsAtOnce(params), clientFdsOf(params)];
  return [
    ...serversOf(params, modeOf(params).arms(params)),
    ...shardSpecs({ shards, connections, fds, net: netOfRun(params) }),
  ];
}

function modeOf({ mode }: Values): Mode {
  return MODE_OF[mode];
}

/** Where the client connects to. */
function netOfRun({ allowRemote, target }: Values): readonly string[] {
  if (target === null) return ["127.0.0.1"];
  requireAllowed(target, allowRemote, "put load on");
  return [netOf(target)];
}

/** The descriptors of each process of the client, where that is for the run to limit; 0 for no limit. */
function clientFdsOf(params: Values): number {
  return modeOf(params).limitsClient ? 0 : params.clientFds;
}

/** Connections of all processes of the client together, at most. */
function connectionsAtOnce(params: Values): number {
  const { arms, sideBySide = false } = modeOf(params);
  const each = arms(params).map(({ connections }) => connections);
  return sideBySide ? each.reduce((sum, count) => sum + count, 0) : Math.max(...each);
}
