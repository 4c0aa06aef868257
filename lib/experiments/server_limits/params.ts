import { choice, command, duration, integer, number, type ParamsOf, text, url } from "../../record/mod.ts";
import { orWord } from "../_shared/or_word.ts";

/** In what way the server is held at its limits. */
export const MODES = ["idle", "slow", "slowloris", "throughput", "client-wall"] as const;

/** One of {@linkcode MODES}. */
export type ModeName = (typeof MODES)[number];

/** The parameters. What a mode has no use for is not looked at by it. */
export const params = {
  mode: choice(MODES, {
    default: "idle",
    help: "connections that are silent, requests in flight, headers without an end, a rate, or too many",
  }),
  connections: integer({
    min: 0,
    max: 1_000_000,
    default: 0,
    quick: 200,
    help:
      "connections of each arm; 0 for as many as the claims of the mode speak of: idle 10,000, slow 500, " +
      "slowloris 200, throughput up to 50, client-wall 1.25 times --ports",
  }),
  duration: duration({
    min: "0s",
    default: "5s",
    quick: "300ms",
    help: "how long connections are watched once they are open, or each rate is measured",
  }),
  client: choice(["epoll", "raw", "fetch"], {
    default: "epoll",
    help: "what opens them: sockets through the C library, Deno.connect, or fetch",
  }),
  threads: integer({
    min: 1,
    max: 64,
    default: 1,
    help: "threads of the client in throughput, of each shard",
  }),
  shards: integer({
    min: 1,
    max: 64,
    default: 1,
    help: "processes that the client is split over, and the lab's own server too",
  }),
  rate: orWord(
    number({
      min: 0.001,
      max: 1_000_000,
      default: 1000,
      help: "requests per second that begin in throughput, whatever the server does; none for its own pace",
    }),
    "none",
    null,
  ),
  path: text({
    default: "",
    help: "what is requested; empty for what the mode needs of the lab's own server",
  }),
  difficulty: integer({
    min: 1,
    max: 10_000,
    default: 20,
    quick: 2,
    help: "work of a computed answer, in units of 200,000 iterations of a hash",
  }),
  drip: duration({
    min: "10ms",
    default: "500ms",
    quick: "200ms",
    help: "time between the bytes of a header without an end, in the arm that sends any",
  }),
  timeout: duration({
    min: "0s",
    default: "0s",
    help: "how long opening a connection, or a request of throughput, may take; 0 for any time",
  }),
  headerTimeout: duration({
    min: "0s",
    default: "3s",
    quick: "1s",
    help: "header timeout of the lab's own server in the arms of slowloris that have one; 0 leaves them out",
  }),
  idleTimeout: duration({
    min: "0s",
    default: "0s",
    help: "how long the lab's own server, on node, lets a connection be idle; 0 for any time",
  }),
  requestTimeout: duration({
    min: "0s",
    default: "0s",
    help: "how long it lets a request take to come in whole; 0 for any time",
  }),
  maxConnections: integer({
    min: 0,
    max: 1_000_000,
    default: 0,
    help: "connections that it takes at once; 0 for any number",
  }),
  serverFds: integer({
    min: 0,
    max: 1_000_000,
    default: 0,
    help: "file descriptors that each server may have; 0 for the limit of the machine",
  }),
  clientFds: integer({
    min: 0,
    max: 1_000_000,
    default: 0,
    help: "file descriptors that each process of the client may have; 0 for the limit of the machine",
  }),
  ports: integer({
    min: 128,
    max: 20_000,
    default: 1000,
    quick: 160,
    help: "size of the client's private port range in client-wall, an even number",
  }),
  serverWorkers: integer({ min: 1, max: 64, default: 1, help: "workers of the lab's own server" }),
  stack: choice(["node", "deno"], {
    default: "node",
    help: "stack of the lab's own server: node:http, or Deno.serve, which has no timeouts",
  }),
  serverCommand: command({
    help: "a program that the lab starts instead of its own server, " +
      `such as "nginx -c $PWD/my.conf -g 'daemon off;'"`,
  }),
  serverPort: integer({ min: 0, max: 65_535, default: 0, help: "the port that the program listens on" }),
  serverStart: duration({
    default: "10s",
    help: "how long the program may take until it listens and answers a first request",
  }),
  target: url({
    default: null,
    protocols: ["http:"],
    help: "a server of your own that runs already instead of the lab's; its path is requested",
  }),
  allowRemote: text({
    default: "",
    help: "the host of a target that is not loopback, named once more: it is loaded only then",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
