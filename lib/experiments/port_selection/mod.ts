import { MisuseError } from "../../record/mod.ts";
import { defineExperiment, type Experiment } from "../contract.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { holderSpecs, MOST_SOCKETS_HERE, MOST_SURPLUS } from "./holders.ts";
import { measure } from "./measure.ts";
import { params } from "./params.ts";
import { type Arm, armsOf } from "./plan.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";

/** What a walk takes at most for each port in the budget, in milliseconds: twice what that of bind() takes. */
const TRY_BUDGET_MS = 0.000_3;

/** What a connect takes at most beside its walk. */
const CONNECT_BUDGET_MS = 0.5;

/** What an arm takes at most beside its connects: its network, and the end of all its sockets. */
const ARM_BUDGET_MS = 4000;

/** Descriptors of the measuring process beside those of its sockets. */
const SPARE_DESCRIPTORS = 64 + MOST_SURPLUS;

/** How connect() chooses a local port, and what it costs when they run low. */
const portSelection: Experiment = defineExperiment({
  id: "port-selection",
  version: 1,
  title: "Choosing a local port",
  question: "What does connect() cost while the ports run low, by the way in which the port is chosen?",
  params,
  tables,
  needs(values) {
    const arms = armsOf(values);
    const threaded = arms.find(({ threads, connects }) => threads > 1 && connects > MOST_SOCKETS_HERE);
    if (threaded !== undefined) {
      throw new MisuseError(
        `Cannot connect with ${threaded.threads} threads at once to ${threaded.connects} ports as threads share ` +
          `one process: give --ports ${MOST_SOCKETS_HERE} or less`,
      );
    }
    return { net: [], namespace: "own" };
  },
  servers: (values) => holderSpecs(armsOf(values)),
  descriptors: (values) =>
    Math.min(MOST_SOCKETS_HERE, Math.max(...armsOf(values).map(({ connects }) => connects))) +
    SPARE_DESCRIPTORS,
  budgetMs: (values) => armsOf(values).reduce((sum, arm) => sum + budgetOf(arm), 0),
  measure,
  summarize: (tables) => summarize(tables),
  figures,
  claims,
});

/** The connects of the second half walk over the first, all of them over half of the range in the mean. */
function budgetOf({ connects, range: { low, high } }: Arm): number {
  return connects * (CONNECT_BUDGET_MS + (high - low) / 2 * TRY_BUDGET_MS) + ARM_BUDGET_MS;
}

export default portSelection;
