import { defineExperiment, type Experiment } from "../contract.ts";
import { serversOf } from "./chains.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { measure } from "./measure.ts";
import { params, type Values } from "./params.ts";
import { PAUSE_MS, PAUSED_ROUNDS } from "./pauses.ts";
import { shortageRate } from "./shortage.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";
import { loadTimes } from "./throughput.ts";
import { cellsOf, SHORTAGES } from "./variants.ts";

/** What a load takes at most beside its duration, in milliseconds: its thread, the sockets that are counted. */
const LOAD_BUDGET_MS = 1000;

/** What a round of requests after a pause takes at most, and what all the rest does, in milliseconds. */
const [ROUND_BUDGET_MS, REST_BUDGET_MS] = [500, 20_000];

/** Descriptors of the client beside its connections. */
const SPARE_DESCRIPTORS = 128;

/** What a pool of connections is worth to a proxy, and what becomes of one without it. */
const proxyPooling: Experiment = defineExperiment({
  id: "proxy-pooling",
  version: 1,
  title: "A proxy with and without a pool",
  question: "What is a pool of connections worth to a proxy, and what fails first without one?",
  params,
  tables,
  needs(params) {
    cellsOf(params);
    shortageRate(params);
    return { net: ["127.0.0.1"], namespace: "own" };
  },
  servers: serversOf,
  budgetMs,
  descriptors: ({ clients }) => Math.max(...clients) + SPARE_DESCRIPTORS,
  measure,
  summarize,
  figures,
  claims,
});

function budgetMs(params: Values): number {
  const { warmUpMs } = loadTimes(params);
  const cellMs = warmUpMs + params.duration + (params.rounds + 1) * LOAD_BUDGET_MS;
  const shortageMs = SHORTAGES.length * (params.duration + LOAD_BUDGET_MS);
  const pausesMs = PAUSED_ROUNDS * (PAUSE_MS + ROUND_BUDGET_MS);
  return cellsOf(params).length * cellMs + shortageMs + pausesMs + REST_BUDGET_MS;
}

export default proxyPooling;
