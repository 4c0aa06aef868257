import { MisuseError } from "../../record/mod.ts";
import { issueCertificate } from "../../transport/mod.ts";
import { destinationOf, netOf } from "../_shared/subject.ts";
import { defineExperiment, type Experiment } from "../contract.ts";
import { budgetMs } from "./budget.ts";
import { claims } from "./claims.ts";
import { figures } from "./figures.ts";
import { measure } from "./measure.ts";
import { params } from "./params.ts";
import { stackOf } from "./stack.ts";
import { summarize } from "./summarize.ts";
import { tables } from "./tables.ts";
import { measuredVariants, partsOf } from "./variants.ts";

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
    if (plainTarget !== null) {
      const [over, plain] = [target, plainTarget].map((url) => destinationOf(url).hostname);
      if (over !== plain) {
        throw new MisuseError(
          `Cannot compare TLS with plain connections as they go to different hosts: target ${over}, ` +
            `plainTarget ${plain}`,
        );
      }
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
  budgetMs,
  measure,
  summarize,
  figures,
  claims,
});

export default tlsVsPlain;
