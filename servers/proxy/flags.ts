import { choice, duration, integer, type ParamsOf } from "../../lib/record/mod.ts";
import { descriptorsFlag } from "../_shared/descriptors.ts";
import { endpoints } from "../_shared/endpoint.ts";
import { HOSTNAME, optional, PORT, type ServerUsage } from "../_shared/flags.ts";

const SWITCH = ["on", "off"] as const;

const params = {
  backend: endpoints("the servers that requests go to, in turn"),
  pool: choice(SWITCH, {
    default: "on",
    help: "keep connections to the backends, or open one for each request",
  }),
  idlePerBackend: integer({
    min: 0,
    max: 20_000,
    default: 100,
    help: "connections that are kept idle to one backend, at most",
  }),
  idleTimeout: duration({
    default: "60s",
    min: "1ms",
    max: "1h",
    help: "how long a connection to a backend is kept idle",
  }),
  maxPerBackend: optional(integer({
    min: 1,
    max: 20_000,
    default: 1,
    help: "connections to one backend at once; requests beyond it wait. Without it there is no limit",
  })),
  watchIdle: choice(SWITCH, {
    default: "on",
    help:
      "look after idle connections to the backends; off, for experiments: the next request finds out that one has " +
      "ended, and takes for its answer what a broken backend has sent unasked",
  }),
  retryStale: choice(SWITCH, {
    default: "on",
    help:
      "send a request once more, on a fresh connection, when a kept one fails before any byte of an answer",
  }),
  connectTimeout: duration({
    default: "5s",
    min: "1ms",
    max: "10m",
    help: "how long a connection to a backend may take, the wait for a free one included",
  }),
  responseTimeout: duration({
    default: "30s",
    min: "1ms",
    max: "1h",
    help: "how long a backend may take for the head of an answer, and then send nothing",
  }),
  clientTimeout: duration({
    default: "75s",
    min: "1ms",
    max: "1h",
    help: "how long a client may be silent between requests, or take for a head",
  }),
  fds: descriptorsFlag("file descriptors that it may have"),
  hostname: HOSTNAME,
  port: PORT,
};

/** The proxy on the command line. */
export const PROXY: ServerUsage<typeof params> = {
  name: "proxy",
  about: "Passes HTTP/1.1 requests on to servers behind it, with a pool of connections or without one.",
  params,
  details: `Without the pool it closes each connection first, so that TIME_WAIT is on its side.

What it answers itself:

  400   a head that it must not pass on    431   a head that is too long
  408   a client that does not finish its request
  501   CONNECT, and a transfer coding other than chunked alone    505   no HTTP/1.x
  502   a backend that is down, ends early or breaks the framing
  503   no connection is free, or this side has no port or descriptor left
  504   a backend that takes too long

A client that ends its side of the connection counts as gone: what it asked for is cancelled.

  /__stats   what it has counted: connections, reuse, retries, failures by kind`,
};

/** What the proxy is told. */
export type ProxyFlags = ParamsOf<typeof params>;
