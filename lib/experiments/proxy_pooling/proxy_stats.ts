import type { Failure } from "../../record/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { HOSTNAME } from "./chains.ts";
import type { Tables } from "./tables.ts";

/** How often something happened: as the request was written, or as the answer was read. */
interface BySign {
  readonly write: number;
  readonly read: number;
}

/** What a proxy tells of itself, as far as it is used here. */
export interface ProxyStats {
  /** Requests that came. */
  readonly requests: number;
  /** Answers that were passed on. */
  readonly passed: number;
  /** Connections to backends that were opened. */
  readonly opened: number;
  /** Connections to backends that could not be opened. */
  readonly failedToOpen: number;
  /** Times that a connection was used again. */
  readonly reused: number;
  /** Kept connections that turned out to be dead. */
  readonly stale: BySign;
  /** Requests that were sent once more for it. */
  readonly retried: BySign;
  /** Requests that failed, by phase, kind and side. */
  readonly failed: readonly (Failure & { readonly count: number })[];
}

/** How long a proxy has for telling its counts, in milliseconds. */
const LIMIT_MS = 5000;

const encoder = new TextEncoder();

/**
 * Asks a proxy for its counts, over a connection that has ended when they are there: none of those that are counted is
 * the one that asked. The calling thread must be in its network.
 *
 * @param port where it listens
 * @returns what it tells
 * @throws {Error} it does not answer
 */
async function readProxy(port: number): Promise<ProxyStats> {
  using socket = await Deno.connect({ hostname: HOSTNAME, port });
  const limit = setTimeout(() => socket.close(), LIMIT_MS);
  try {
    await socket.write(
      encoder.encode(`GET /__stats HTTP/1.1\r\nhost: ${HOSTNAME}\r\nconnection: close\r\n\r\n`),
    );
    const answer = await new Response(socket.readable).text();
    if (!answer.startsWith("HTTP/1.1 200 ")) {
      throw new Error(`The proxy refused to tell its counts: ${answer}`);
    }
    return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
  } finally {
    clearTimeout(limit);
  }
}

/**
 * What a proxy has counted since an earlier look at its counts.
 *
 * @param before what it told then
 * @param after what it tells now
 * @returns the difference
 */
export function since(before: ProxyStats, after: ProxyStats): ProxyStats {
  const earlier = (failed: ProxyStats["failed"][number]) =>
    before.failed.find(({ phase, kind, side }) =>
      phase === failed.phase && kind === failed.kind && side === failed.side
    )?.count ?? 0;
  const bySign = (name: "stale" | "retried") => ({
    write: after[name].write - before[name].write,
    read: after[name].read - before[name].read,
  });
  return {
    requests: after.requests - before.requests,
    passed: after.passed - before.passed,
    opened: after.opened - before.opened,
    failedToOpen: after.failedToOpen - before.failedToOpen,
    reused: after.reused - before.reused,
    stale: bySign("stale"),
    retried: bySign("retried"),
    failed: after.failed.map((failed) => ({ ...failed, count: failed.count - earlier(failed) }))
      .filter(({ count }) => count > 0),
  };
}

/**
 * Does something, and records what a proxy counted meanwhile. The calling thread must be in its network.
 *
 * @param turn whose proxy it is, where it listens, and the round
 * @param context where rows go
 * @param work what is done
 * @returns what it comes to
 */
export async function countingAt<T>(
  { variant, round, port }: { readonly variant: string; readonly round: number; readonly port: number },
  { emit }: Pick<MeasureContext<Tables>, "emit">,
  work: () => Promise<T>,
): Promise<T> {
  const before = await readProxy(port);
  const result = await work();
  const { failed, stale, retried, ...counts } = since(before, await readProxy(port));
  emit("proxies", {
    ...{ variant, round, ...counts },
    ...{ staleWrites: stale.write, staleReads: stale.read },
    ...{ retriedWrites: retried.write, retriedReads: retried.read },
  });
  for (const { phase, kind, side, count } of failed) {
    emit("failures", {
      ...{
        variant,
        round,
        seenBy: "proxy",
        failurePhase: phase,
        failureKind: kind,
        failureSide: side,
        count,
      },
    });
  }
  return result;
}
