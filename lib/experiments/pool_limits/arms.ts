import type { Values } from "./params.ts";

/** What makes the requests: `raw` is the lab's own pool, `fetch` is Deno's client. */
export type ClientName = "raw" | "fetch";

/** The origins of a run: HTTP/1.1 without and with TLS, and HTTP/2, which is with TLS. */
export type OriginName = "plain" | "tls" | "h2";

/** A client with its limits, and the requests that it is given. */
export interface Arm {
  /** What it is called in rows and metrics. */
  readonly variant: string;
  /** The client. */
  readonly client: ClientName;
  /** The protocol, as ALPN names it (RFC 7301). */
  readonly protocol: "http/1.1" | "h2";
  /** What answers. */
  readonly origin: OriginName;
  /** Whether some requests go before the others, so that the protocol is agreed when they begin. */
  readonly warm: boolean;
  /** Connections at once, at most; `null` for no limit. */
  readonly maxConnections: number | null;
  /** Idle connections that are kept, at most; `null` for no limit. */
  readonly maxIdle: number | null;
  /** How many waves there are. Each begins when the one before it is answered. */
  readonly waves: number;
  /** Requests that a wave begins with, at the same time. */
  readonly concurrency: number;
  /** How many requests follow one another in a wave, each when its worker's last is answered. */
  readonly requestsPerWorker: number;
  /** How long the server takes to answer, in milliseconds. */
  readonly responseMs: number;
}

/** Long enough for every connection of a burst to be opened before the first is free again: 1 ms for each. */
const BURST_RESPONSE_MS = 100;

/** The same for the workers, where there are many waves. */
const WORKER_RESPONSE_MS = 20;

/** Rounds of the workers that are free of one another: what they find idle is a matter of scheduling. */
export const FREE_ROUNDS = 5;

/**
 * The arms of a run, in the order in which they are measured.
 *
 * @param params the parameters
 * @returns the arms
 */
export function armsOf(params: Values): Arm[] {
  const { protocol } = params;
  return [
    ...(protocol === "http2" ? [] : [roundsOverHttp1(params)]),
    ...(protocol === "http1" ? [] : [roundsOverHttp2(params)]),
    ...bursts(params),
    ...(protocol === "http1" ? [] : [burstOverHttp2(params)]),
    ...idleCaps(params),
  ];
}

/**
 * The name of the arm that keeps fewer idle connections than there are workers.
 *
 * @param idlePerHost how many it keeps
 * @returns the variant
 */
export function cappedVariant(idlePerHost: number): string {
  return `idle-cap/${idlePerHost}`;
}

/**
 * The name of the arm with the same cap, whose workers do not wait for one another.
 *
 * @param idlePerHost how many it keeps
 * @returns the variant
 */
export function freeVariant(idlePerHost: number): string {
  return `${cappedVariant(idlePerHost)}/free`;
}

/**
 * How long an arm takes at least, in milliseconds.
 *
 * @param arm the arm
 * @returns the time of its responses alone
 */
export function leastMs({ waves, concurrency, maxConnections, requestsPerWorker, responseMs }: Arm): number {
  return waves * requestsPerWorker * responseMs * Math.ceil(concurrency / (maxConnections ?? concurrency));
}

const ONE_WAVE = { waves: 1, requestsPerWorker: 1 };
const NO_LIMIT = { maxConnections: null, maxIdle: null };
const RAW = { client: "raw", protocol: "http/1.1", origin: "plain", warm: false } as const;

function roundsOverHttp1({ maxConnections, concurrency, responseTime }: Values): Arm {
  return {
    ...RAW,
    ...ONE_WAVE,
    ...{ variant: "http1", origin: "tls", warm: true, maxConnections, maxIdle: null },
    ...{ concurrency, responseMs: Math.ceil(responseTime) },
  };
}

/** It is warm: a cold client opens a connection for every request before it learns that one is enough. */
function roundsOverHttp2({ concurrency, responseTime }: Values): Arm {
  return {
    ...NO_LIMIT,
    ...ONE_WAVE,
    ...{ variant: "http2", client: "fetch", protocol: "h2", origin: "h2", warm: true },
    ...{ concurrency, responseMs: Math.ceil(responseTime) },
  };
}

/** Two waves, so that the second shows how many of the connections were kept. */
function bursts({ concurrency }: Values): Arm[] {
  const responseMs = burstResponseMs(concurrency);
  const common = { ...NO_LIMIT, waves: 2, requestsPerWorker: 1, concurrency, responseMs };
  return [
    { ...RAW, ...common, variant: "burst/raw" },
    { ...RAW, ...common, variant: "burst/fetch", client: "fetch" },
  ];
}

function burstOverHttp2({ concurrency }: Values): Arm {
  return {
    ...NO_LIMIT,
    ...ONE_WAVE,
    ...{ variant: "burst/http2", client: "fetch", protocol: "h2", origin: "h2", warm: false },
    ...{ concurrency, responseMs: burstResponseMs(concurrency) },
  };
}

function burstResponseMs(concurrency: number): number {
  return Math.max(BURST_RESPONSE_MS, concurrency);
}

/** In lock step all workers give their connections back before one takes one again; free, each takes its own. */
function idleCaps({ workers, requestsPerWorker, idlePerHost }: Values): Arm[] {
  const common = { ...RAW, maxConnections: null, concurrency: workers, responseMs: WORKER_RESPONSE_MS };
  const lockStep = { ...common, waves: requestsPerWorker, requestsPerWorker: 1 };
  const capped = cappedVariant(idlePerHost);
  return [
    { ...lockStep, variant: "idle-cap/healthy", maxIdle: workers },
    { ...lockStep, variant: capped, maxIdle: idlePerHost },
    {
      ...common,
      ...{ variant: freeVariant(idlePerHost), maxIdle: idlePerHost, waves: FREE_ROUNDS, requestsPerWorker },
    },
  ];
}
