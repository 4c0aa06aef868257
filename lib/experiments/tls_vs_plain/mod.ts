import { MisuseError } from "../../record/mod.ts";
import { issueCertificate } from "../../transport/mod.ts";
import { netOf } from "../_shared/subject.ts";
import { defineExperiment, type Experiment } from "../contract.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { measure } from "./measure.ts";
import { params } from "./params.ts";
import { stackOf } from "./stack.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";
import { measuredVariants, partsOf } from "./variants.ts";

/**
 * What a request takes at most in the budget, in milliseconds: ten times what a full handshake takes, and on
 * Deno.serve two delayed acknowledgements more.
 */
const REQUEST_BUDGET_MS = { node: 20, deno: 100 };

/** The same for a server of the person's own, which may be far away, or slow. */
const TARGET_BUDGET_MS = 1000;

/** What a round takes at most beside its requests, until its connections are gone, in milliseconds. */
const ROUND_BUDGET_MS = 2500;

/** Descriptors of a server beside those of its listening ports: the connections of the round at hand. */
const SPARE_DESCRIPTORS = 32;

/** The lab's own servers: they listen here, and the certificate is for this address. */
const HOSTNAME = "127.0.0.1";

/** What TLS adds to new connections and to ones that are kept. */
const tlsVsPlain: Experiment = defineExperiment({
  id: "tls-vs-plain",
  version: 1,
  title: "TLS against plain connections",
  question: "What does TLS add, to a new connection for every request and to one that is kept?",
  params,
  tables,
  needs({ client, alpn, target, plainTarget, ca }) {
    if (client === "raw" && alpn === "h2") {
      throw new MisuseError("Cannot use alpn h2 with client raw: it speaks HTTP/1.1 only");
    }
    if (target === null) {
      for (const [name, value] of Object.entries({ plainTarget, ca })) {
        if (value === null) continue;
        throw new MisuseError(`Cannot use ${name} without target: the lab's own servers are measured`);
      }
      return { net: [HOSTNAME], namespace: "none" };
    }
    return { net: [target, plainTarget].flatMap((url) => url === null ? [] : netOf(url)), namespace: "none" };
  },
  servers(params) {
    if (params.target !== null) return [];
    const { alpn, rounds } = params;
    return (["plain", "tls"] as const).map((transport) => {
      const variants = measuredVariants(params).filter((variant) => partsOf(variant).transport === transport);
      const ports = variants.length * (rounds + 1);
      return {
        name: "origin",
        as: transport,
        flags: [
          "--stack",
          stackOf(params),
          "--ports",
          `${ports}`,
          ...(transport === "tls" ? ["--tls", "--alpn", alpn] : []),
        ],
        descriptors: ports + SPARE_DESCRIPTORS,
      };
    });
  },
  async prepare({ keyType, target }) {
    if (target !== null) return {};
    const { ca, certificate, key } = await issueCertificate({ keyType, names: [HOSTNAME] });
    return { servers: { tls: { key, certificate } }, measure: { ca } };
  },
  budgetMs(params) {
    const { requests, rounds, target } = params;
    const requestMs = target === null ? REQUEST_BUDGET_MS[stackOf(params)] : TARGET_BUDGET_MS;
    return (rounds + 1) * measuredVariants(params).length * (requests * requestMs + ROUND_BUDGET_MS);
  },
  measure,
  summarize,
  figures,
  claims,
});

export default tlsVsPlain;
