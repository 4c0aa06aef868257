import { MisuseError } from "../../record/mod.ts";
import { defineExperiment, type Experiment } from "../contract.ts";
import { requireAllowed } from "../_shared/allowed_target.ts";
import { requestedPath } from "../_shared/requested_path.ts";
import { descriptorsOfEach, shardSpecs } from "../_shared/shards.ts";
import { netOf } from "../_shared/subject.ts";
import { figures } from "./figures.ts";
import { measure } from "./measure.ts";
import { params, type Values } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";

/** What a load takes at most beside its own duration: its processes and threads, its rows. */
const MARGIN_MS = 30_000;

/** Descriptors of the lab's own server beside those of its connections. */
const SPARE_DESCRIPTORS = 64;

/** What a server answers at a load, and how long that takes: an engine on its own. */
const load: Experiment = defineExperiment({
  id: "load",
  version: 1,
  title: "A load on a server",
  question: "How many requests does a server answer, and how long do they take from when they are due?",
  params,
  tables,
  needs(values) {
    requestedPath(values.path, { preset: "/", difficulty: values.difficulty });
    requireShares(values);
    if (values.target !== null) requireAllowed(values.target, values.allowRemote, "load");
    return { net: netsOf(values), namespace: "none" };
  },
  servers(values) {
    const { target, stack, connections, serverWorkers } = values;
    const shards = shardSpecs({ ...values, net: netsOf(values) });
    if (target !== null) return shards;
    return [{
      name: "origin",
      flags: ["--stack", stack, "--server-workers", `${serverWorkers}`],
      threads: serverWorkers > 1,
      descriptors: connections + SPARE_DESCRIPTORS,
    }, ...shards];
  },
  budgetMs: ({ duration, timeout }) => duration + timeout + MARGIN_MS,
  descriptors: ({ shards, connections }) =>
    descriptorsOfEach({ shards, connections: shards === 1 ? connections : 0 }),
  connections: ({ connections }) => connections,
  measure,
  summarize,
  figures,
});

/** @throws {MisuseError} a thread would have no connection */
function requireShares({ connections, threads, shards }: Values): void {
  if (connections >= threads * shards) return;
  throw new MisuseError(
    `Cannot make load with ${connections} connections as each of ${
      threads * shards
    } threads needs one: give ` +
      "fewer --threads and --shards, or more --connections",
  );
}

function netsOf({ target }: Values): string[] {
  return target === null ? ["127.0.0.1"] : ["127.0.0.1", netOf(target)];
}

export default load;
