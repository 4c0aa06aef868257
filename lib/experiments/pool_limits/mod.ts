import { issueCertificate } from "../../transport/mod.ts";
import { defineExperiment, type Experiment, type ServerSpec } from "../contract.ts";
import { armsOf, FREE_ROUNDS, leastMs, type OriginName } from "./arms.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { PAUSES } from "./idle_pauses.ts";
import { measure, PORTS_PER_ORIGIN } from "./measure.ts";
import { params, type Values } from "./params.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";

/** What a request takes at most beside its response time, a handshake included, in milliseconds. */
const REQUEST_BUDGET_MS = 10;

/** What a wave takes at most beside its requests, in milliseconds. */
const WAVE_BUDGET_MS = 250;

/** Descriptors beside the connections of the arm at hand: listeners, the clients that are watched, stdio. */
const SPARE_DESCRIPTORS = 64;

/** Counts all connections to the origin that speaks HTTP/2, whose stack shows only those with a request. */
const RELAY: ServerSpec = {
  name: "middlebox",
  as: "relay",
  flags: ({ h2 }) => ["--upstream", `${h2!.hostname}:${h2!.ports.at(-1)}`, "--idle", "1h"],
};

/** What the limits of a pool do to the requests that share it. */
const poolLimits: Experiment = defineExperiment({
  id: "pool-limits",
  version: 1,
  title: "The limits of a pool",
  question: "What do the limits of a connection pool do to the requests that share it?",
  params,
  tables,
  servers(params) {
    const asked = new Set<string>(armsOf(params).map(({ origin }) => origin));
    const ports = ["--ports", `${PORTS_PER_ORIGIN}`];
    const descriptors = connectionsAtOnce(params) + SPARE_DESCRIPTORS;
    const origins: Readonly<Record<OriginName, readonly string[]>> = {
      plain: ["--stack", params.stack],
      tls: ["--stack", params.stack, "--tls"],
      // node:http2 under Deno 2.9 aborts when a connection ends that carried many requests at once.
      h2: ["--stack", "deno", "--tls", "--alpn", "h2"],
    };
    const specs: ServerSpec[] = Object.entries(origins)
      .filter(([as]) => asked.has(as))
      .map(([as, flags]) => ({ name: "origin", as, flags: [...flags, ...ports], descriptors }));
    return asked.has("h2") ? [...specs, { ...RELAY, descriptors: 2 * descriptors }] : specs;
  },
  async prepare(params) {
    const { ca, certificate, key } = await issueCertificate({ names: ["127.0.0.1"] });
    const encrypted = new Set(armsOf(params).map(({ origin }) => origin)).difference(new Set(["plain"]));
    const identities = [...encrypted].map((origin) => [origin, { certificate, key }]);
    return { servers: Object.fromEntries(identities), measure: { ca } };
  },
  budgetMs(params) {
    const arms = armsOf(params);
    const requests = arms.reduce(
      (sum, { waves, concurrency, requestsPerWorker }) => sum + waves * concurrency * requestsPerWorker,
      0,
    );
    const waves = arms.reduce((sum, { waves }) => sum + waves, 0);
    const responsesMs = arms.reduce((sum, arm) => sum + leastMs(arm), 0);
    return responsesMs + requests * REQUEST_BUDGET_MS + waves * WAVE_BUDGET_MS + params.observeIdle + 5000;
  },
  descriptors: (params) => connectionsAtOnce(params) + SPARE_DESCRIPTORS,
  connections: ({ workers, requestsPerWorker }) => FREE_ROUNDS * workers * requestsPerWorker,
  measure,
  summarize,
  figures,
  claims,
});

/** Connections that stand at once, at most: those of a wave, and those of the one before that are closing. */
function connectionsAtOnce({ concurrency, workers, observeIdle }: Values): number {
  return 2 * Math.max(concurrency, workers) + (observeIdle > 0 ? PAUSES : 0);
}

export default poolLimits;
