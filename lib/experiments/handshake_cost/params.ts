import { choice, flag, integer, type ParamsOf, url } from "../../record/mod.ts";

/** The parameters. */
export const params = {
  requests: integer({
    min: 1,
    max: 100_000,
    default: 500,
    quick: 100,
    help: "requests per variant and round",
  }),
  rounds: integer({ min: 1, max: 1000, default: 10, quick: 5, help: "rounds, after one that is discarded" }),
  client: choice(["both", "fetch", "raw"], { default: "both", help: "clients to measure" }),
  stack: choice(["deno", "node"], {
    default: "node",
    help: "stack of the lab's own server: Deno.serve or node:http",
  }),
  bodyBytes: integer({
    min: 0,
    max: 10_000_000,
    default: 100,
    help: "size of each body that the lab's own server answers with, in bytes",
  }),
  watchTimeWait: flag({ default: false, help: "follow the sockets in TIME_WAIT until there are none" }),
  target: url({
    default: null,
    protocols: ["http:"],
    help: "a server of your own instead of the lab's; every variant requests this URL",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
