import { netOf } from "../_shared/subject.ts";
import { defineExperiment, type Experiment } from "../contract.ts";
import { budgetMs } from "./budget.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { measure } from "./measure.ts";
import { params } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";
import { variantsOf } from "./variants.ts";

/** Descriptors of the origin beside those of its listening ports: the connections of the round at hand. */
const SPARE_DESCRIPTORS = 32;

/** What a new connection for every request costs, against one connection that is kept. */
const handshakeCost: Experiment = defineExperiment({
  id: "handshake-cost",
  version: 1,
  title: "The cost of a handshake",
  question: "What does a new connection for every request cost, against one that is kept?",
  params,
  tables,
  needs({ target }) {
    return { net: [target === null ? "127.0.0.1" : netOf(target)], namespace: "none" };
  },
  servers({ client, rounds, stack, target }) {
    if (target !== null) return [];
    const ports = variantsOf(client).length * (rounds + 1);
    return [{
      name: "origin",
      flags: ["--stack", stack, "--ports", `${ports}`],
      descriptors: ports + SPARE_DESCRIPTORS,
    }];
  },
  budgetMs,
  measure,
  summarize: (tables, _params, seed) => summarize(tables, seed),
  figures,
  claims,
});

export default handshakeCost;
