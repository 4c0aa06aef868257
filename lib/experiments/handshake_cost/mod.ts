import { netOf } from "../_shared/subject.ts";
import { defineExperiment, type Experiment } from "../contract.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { measure, variantsOf, WATCH_MARGIN_MS } from "./measure.ts";
import { params } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";

/** What a request takes at most in the budget, in milliseconds: a hundred times what loopback takes. */
const REQUEST_BUDGET_MS = 10;

/** The same for a server of the person's own, which may be far away, or slow. */
const TARGET_BUDGET_MS = 1000;

/** What a round takes at most beside its requests, until its connections are gone, in milliseconds. */
const ROUND_BUDGET_MS = 2500;

/** Descriptors of the origin beside those of its listening ports: the connections of the round at hand. */
const SPARE_DESCRIPTORS = 32;

/** The longest that a system keeps a socket in TIME_WAIT, in milliseconds. */
const LONGEST_TIME_WAIT_MS = 120_000;

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
  budgetMs({ client, requests, rounds, target, watchTimeWait }) {
    const requestMs = target === null ? REQUEST_BUDGET_MS : TARGET_BUDGET_MS;
    const perRound = variantsOf(client).length * (requests * requestMs + ROUND_BUDGET_MS);
    return (rounds + 1) * perRound + (watchTimeWait ? LONGEST_TIME_WAIT_MS + WATCH_MARGIN_MS : 0);
  },
  measure,
  summarize: (tables, _params, seed) => summarize(tables, seed),
  figures,
  claims,
});

export default handshakeCost;
