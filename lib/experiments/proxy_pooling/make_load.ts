import { type LoadPlan, loadWarnings, localGenerator, type ShardedReport } from "../../load/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { ENTRY, HOSTNAME } from "./chains.ts";
import { SocketWatch } from "./socket_watch.ts";
import type { Tables } from "./tables.ts";
import type { Path } from "./variants.ts";

/** What is loaded, and how. */
export interface LoadOrder {
  /** The variant. */
  readonly variant: string;
  /** The way to the backend. */
  readonly path: Path;
  /** Connections at once. */
  readonly clients: number;
  /** The round, from 1. */
  readonly round: number;
  /** Its place within the round. */
  readonly place: number;
  /** How long the variant has been loaded before, in milliseconds. */
  readonly loadedMs: number;
  /** How long requests begin, in milliseconds. */
  readonly durationMs: number;
  /** When they begin. @default {as soon as a connection is free: a closed loop} */
  readonly ratePerSecond?: number;
}

/** How long a request may take, in milliseconds: more than any of the proxy's own limits on loopback. */
const TIMEOUT_MS = 10_000;

/**
 * Makes the plan of a load.
 *
 * @param order what is loaded
 * @param seed the seed
 * @returns the plan
 */
export function planOf(
  { clients, durationMs, ratePerSecond }: Omit<LoadOrder, "variant">,
  seed: number,
): LoadPlan {
  return {
    ...{ client: "epoll", method: "GET", connections: clients, threads: 1, durationMs, seed, requests: null },
    arrivals: ratePerSecond === undefined
      ? { loop: "closed" }
      : { loop: "open", ratePerSecond, spacing: "constant" },
    timeoutMs: TIMEOUT_MS,
    keepRows: ratePerSecond !== undefined,
  };
}

/**
 * Makes a load of which nothing but the sockets is recorded, those meanwhile too: code is compiled when it has been used
 * for a while.
 *
 * @param order what is loaded
 * @param context where rows go, and what stops it
 */
export async function warmUp(order: LoadOrder, context: MeasureContext<Tables>): Promise<void> {
  const watch = new SocketWatch(order.path);
  const { startMs } = await watch.during(() => load(order, context), true);
  watch.emit(order.variant, { startMs, loadedMs: order.loadedMs }, context);
}

/**
 * Makes a load, and records what came of it and what sockets there were. The calling thread must be in the network of
 * the servers.
 *
 * @param order what is loaded
 * @param context where rows go
 * @returns what came of it
 */
export async function makeLoad(order: LoadOrder, context: MeasureContext<Tables>): Promise<ShardedReport> {
  const { variant, path, clients, round, place, loadedMs } = order;
  const watch = new SocketWatch(path);
  const isOpenLoop = order.ratePerSecond !== undefined;
  const { value: report } = await context.timed(() => watch.during(() => load(order, context), isOpenLoop));
  const { sent, unsent, answered, failures, unfinished, fresh, elapsedMs, generator } = report;
  const answered2xx = answered[2] ?? 0;
  context.emit("loads", {
    ...{
      variant,
      path,
      clients,
      round,
      place,
      sent,
      unsent,
      answered2xx,
      unfinished,
      opened: fresh,
      elapsedMs,
    },
    answeredOther: answered.reduce((sum, count) => sum + count, 0) - answered2xx,
    failed: failures.reduce((sum, { count }) => sum + count, 0),
    cpuShare: generator.cpuShare,
    waitShare: generator.waitShare,
  });
  for (const { second, answered, service } of report.seconds) {
    context.emit("seconds", { variant, round, second, answered2xx: answered[2] ?? 0, service });
  }
  for (const { phase, kind, side, count } of failures) {
    context.emit("failures", {
      ...{
        variant,
        round,
        seenBy: "client",
        failurePhase: phase,
        failureKind: kind,
        failureSide: side,
        count,
      },
    });
  }
  watch.emit(variant, { startMs: report.startMs, loadedMs }, context);
  for (const warning of loadWarnings(planOf(order, context.seed), report)) {
    context.warn({ ...warning, message: `${variant}: ${warning.message}` });
  }
  return report;
}

async function load(order: LoadOrder, { seed, signal }: MeasureContext<Tables>): Promise<ShardedReport> {
  await using generator = localGenerator();
  const target = { address: HOSTNAME, hostname: HOSTNAME, port: ENTRY[order.path], path: "/static" };
  return await generator.load(planOf(order, seed), [target], { signal });
}
