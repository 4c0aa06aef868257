import { defineExperiment, type Experiment } from "../contract.ts";
import { requireAllowed } from "../_shared/allowed_target.ts";
import { netOf } from "../_shared/subject.ts";
import { figures } from "./figures.ts";
import { measure } from "./measure.ts";
import { params } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";
import { requireHost, requireTls } from "./target.ts";

export { describeVerdict, type Probed } from "./verdict.ts";

/** What starting a server and the measuring process may take beside the probe's own budget, in milliseconds. */
const START_BUDGET_MS = 10_000;

/** Descriptors of a process beside those of its connections. */
const SPARE_DESCRIPTORS = 32;

/** How long a server keeps an idle connection, and what that means for its clients. */
const idleLimit: Experiment = defineExperiment({
  id: "idle-limit",
  version: 1,
  title: "The idle limit of a server",
  question: "How long does a server keep an idle connection?",
  params,
  tables,
  needs({ target, allowRemote, ca, hostHeader }) {
    requireHost(hostHeader);
    requireTls(target, ca);
    if (target === null) return { net: ["127.0.0.1"], namespace: "none" };
    requireAllowed(target, allowRemote, "probe");
    return { net: [netOf(target)], namespace: "none" };
  },
  servers({ connections, serverIdle, stack, target }) {
    if (target !== null) return [];
    const limit = stack === "node" ? ["--idle-timeout", `${serverIdle}ms`] : [];
    return [{
      name: "origin",
      flags: ["--stack", stack, ...limit],
      descriptors: 2 * connections + SPARE_DESCRIPTORS,
    }];
  },
  budgetMs: ({ budget }) => budget + START_BUDGET_MS,
  descriptors: ({ connections }) => 2 * connections + SPARE_DESCRIPTORS,
  measure,
  summarize: (tables) => summarize(tables),
  figures,
});

export default idleLimit;
