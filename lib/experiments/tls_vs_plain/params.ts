import { choice, integer, type ParamsOf, pem, url } from "../../record/mod.ts";
import { KEY_TYPES } from "../../transport/mod.ts";

/** The parameters. */
export const params = {
  requests: integer({
    min: 1,
    max: 100_000,
    default: 200,
    quick: 50,
    help: "requests per variant and round",
  }),
  rounds: integer({ min: 1, max: 1000, default: 10, quick: 15, help: "rounds, after one that is discarded" }),
  client: choice(["both", "fetch", "raw"], { default: "both", help: "clients to measure" }),
  stack: choice(["auto", "deno", "node"], {
    default: "auto",
    help: "stack of the lab's own servers: Deno.serve, or node:http and node:https; " +
      "auto is node, and over HTTP/2 deno",
  }),
  keyType: choice(KEY_TYPES, {
    default: "ecdsa-p256",
    help: "kind of key of the certificate that is made for the run",
  }),
  alpn: choice(["http/1.1", "h2"], {
    default: "http/1.1",
    help: "protocol over TLS: with h2 fetch asks for HTTP/2, and TLS is not compared with plain HTTP/1.1",
  }),
  bodyBytes: integer({
    min: 0,
    max: 10_000_000,
    default: 100,
    help: "size of each body that the lab's own servers answer with, in bytes",
  }),
  target: url({
    default: null,
    protocols: ["https:"],
    help: "a server of your own instead of the lab's; every variant over TLS requests this URL",
  }),
  plainTarget: url({
    default: null,
    protocols: ["http:"],
    help:
      "the same server's plain URL, for the plain variants; without it a target is measured over TLS alone",
  }),
  ca: pem({ default: null, help: "file with the certificates that the target's is checked against" }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
