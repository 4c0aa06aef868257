import { choice, duration, integer, type ParamsOf } from "../../record/mod.ts";

/** The parameters. */
export const params = {
  maxConnections: integer({
    min: 1,
    max: 1000,
    default: 2,
    help: "connections that the HTTP/1.1 client may have at once",
  }),
  concurrency: integer({ min: 1, max: 1000, default: 10, help: "requests that are made at the same time" }),
  responseTime: duration({
    min: "1ms",
    max: "1m",
    default: "500ms",
    quick: "100ms",
    help: "how long the server takes to answer one of them",
  }),
  protocol: choice(["both", "http1", "http2"], { default: "both", help: "protocols to measure rounds over" }),
  idlePerHost: integer({
    min: 0,
    max: 500,
    default: 2,
    help: "idle connections that the client keeps, below the number of workers",
  }),
  workers: integer({ min: 1, max: 500, default: 50, help: "workers that share the client with idle limits" }),
  requestsPerWorker: integer({
    min: 1,
    max: 500,
    default: 20,
    quick: 10,
    help: "requests of each worker, one after another",
  }),
  observeIdle: duration({
    min: "0s",
    max: "10m",
    default: "0s",
    help: "how long to look for the idle timeout of fetch; 0 leaves it unknown",
  }),
  stack: choice(["deno", "node"], {
    default: "node",
    help:
      "stack of the lab's own server over HTTP/1.1: Deno.serve or node:http; over HTTP/2 it is Deno.serve",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
