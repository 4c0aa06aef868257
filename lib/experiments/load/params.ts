import { LOAD_CLIENTS } from "../../load/mod.ts";
import { choice, duration, flag, integer, number, type ParamsOf, text, url } from "../../record/mod.ts";
import { orWord } from "../_shared/or_word.ts";

/** The parameters. */
export const params = {
  target: url({
    default: null,
    protocols: ["http:"],
    help: "a server of your own instead of the lab's; this URL is requested",
  }),
  allowRemote: text({
    default: "",
    help: "the host of a target that is not loopback, named once more: it is loaded only then",
  }),
  client: choice(LOAD_CLIENTS, {
    default: "epoll",
    help: "what makes the load: epoll is the lab's own engine (raw sockets, Linux), raw is Deno.connect",
  }),
  connections: integer({
    min: 1,
    max: 1_000_000,
    default: 50,
    quick: 10,
    help: "connections at once, at most; without a rate, as many requests are on their way",
  }),
  duration: duration({ min: "100ms", default: "10s", quick: "2s", help: "how long requests begin" }),
  requests: orWord(
    integer({ min: 1, max: 1_000_000_000, default: 1, help: "requests that begin, at most" }),
    "any",
    null,
  ),
  rate: orWord(
    number({
      min: 0.001,
      max: 1_000_000,
      default: 1000,
      help:
        "requests per second that begin, however the server does (open loop); with none, each connection " +
        "asks again when it is answered (closed loop)",
    }),
    "none",
    null,
  ),
  spacing: choice(["constant", "poisson"], {
    default: "constant",
    help: "the time between the requests of a rate: always the same, or that of a Poisson process",
  }),
  threads: integer({ min: 1, max: 64, default: 1, help: "threads of the client, of each shard" }),
  shards: integer({ min: 1, max: 64, default: 1, help: "processes that the client is split over" }),
  path: text({
    default: "",
    help: "the path that is requested; empty for the target's own, and /static of the lab's server",
  }),
  difficulty: integer({
    min: 1,
    max: 10_000,
    default: 5,
    help: "for --path /compute of the lab's server: units of 200,000 iterations of a hash",
  }),
  timeout: duration({ min: "0s", default: "10s", help: "how long a request may take; 0 for any time" }),
  rows: flag({ default: false, help: "keep a row for every request, beside the histograms" }),
  stack: choice(["deno", "node"], {
    default: "deno",
    help: "stack of the lab's own server: Deno.serve or node:http",
  }),
  serverWorkers: integer({ min: 1, max: 64, default: 1, help: "workers of the lab's own server" }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
