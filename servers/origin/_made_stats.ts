import { Counters, type Stack, total } from "./counters.ts";
import { type Facts, sightOf, type ThreadReport } from "./stats.ts";

/** What a thread tells whose port 8080 took a connection with a request, and whose port 8081 took none. */
export function madeReport(facts: Facts, report: Partial<ThreadReport> = {}): ThreadReport {
  const [used, unused] = [new Counters(sightOf(facts)), new Counters(sightOf(facts))];
  used.take("http/1.1");
  used.meet("127.0.0.1", 50_000);
  if (sightOf(facts).connections) used.connect();
  return {
    listeners: [[8080, total([used])], [8081, total([unused])]],
    eventLoopDelayMs: 1,
    heapUsedBytes: 1000,
    ...report,
  };
}

/** An origin that closes headers which take longer than 3 s. */
export function madeFacts(stack: Stack): Facts {
  const brakes = { headerTimeoutMs: 3000, requestTimeoutMs: null, idleTimeoutMs: null, maxConnections: null };
  const defaults = { ...brakes, headerTimeoutMs: 60_000, checkingIntervalMs: 30_000, socketTimeoutMs: null };
  return {
    stack,
    tls: false,
    brakes,
    backlog: 16,
    descriptors: null,
    defaults: stack === "node" ? defaults : null,
  };
}
