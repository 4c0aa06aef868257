import { defineExperiment, type Experiment } from "../contract.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { LISTENERS, measure } from "./measure.ts";
import { includes, params, type Values } from "./params.ts";
import { blockMs, scheduledMs, sweepConnections } from "./plan.ts";
import { REQUEST_LIMIT_MS } from "./stage.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";
import { costVariants, jitters, MOVING_VARIANTS } from "./variants.ts";

/** What starting, counting and closing take at most, in milliseconds. */
const SPARE_MS = 5000;

/** What a block of requests takes at most beside its time: its last request, opening and closing. */
const BLOCK_SPARE_MS = 50;

/** Descriptors beside those of counted connections. */
const SPARE_DESCRIPTORS = 32;

/** How connections that are given up in time, and those that are not, differ in what they notice and cost. */
const lifetimeRotation: Experiment = defineExperiment({
  id: "lifetime-rotation",
  version: 1,
  title: "The lifetime of a connection",
  question: "When does a client notice that a name has moved, and what does a lifetime of connections cost?",
  params,
  tables,
  needs: (values) => ({
    net: includes(values, "blue-green") ? ["127.0.0.1", "127.0.0.2"] : ["127.0.0.1"],
    namespace: "none",
  }),
  servers(values) {
    const descriptors = connectionsAtOnce(values) + LISTENERS + SPARE_DESCRIPTORS;
    const blue = { name: "origin", flags: ["--stack", "node", "--ports", `${LISTENERS}`], descriptors };
    if (!includes(values, "blue-green")) return [blue];
    return [blue, {
      name: "origin",
      as: "green",
      net: ["127.0.0.2"],
      flags: ({ origin }) => ["--stack", "node", "--hostname", "127.0.0.2", "--port", `${origin!.port}`],
      descriptors,
    }];
  },
  budgetMs(values) {
    const scheduled = scheduledMs(values) / values.speed + REQUEST_LIMIT_MS;
    const blocks = includes(values, "sweep") ? (values.rounds + 1) * costVariants(values).size : 0;
    return SPARE_MS + scheduled + blocks * (blockMs(values) + BLOCK_SPARE_MS);
  },
  connections: (values) => includes(values, "sweep") ? sweepConnections(values) : connectionsAtOnce(values),
  descriptors: (values) => connectionsAtOnce(values) + SPARE_DESCRIPTORS,
  measure,
  summarize: (tables, params, seed) => summarize(tables, params, seed),
  figures,
  claims,
});

export default lifetimeRotation;

function connectionsAtOnce(values: Values): number {
  const { clients, connections } = values;
  return (includes(values, "sweep") ? jitters(values).length * connections : 0) +
    (includes(values, "blue-green") ? MOVING_VARIANTS.length * clients : 0) + 2 * clients + 1;
}
