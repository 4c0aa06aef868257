import { type CellRow, chainOf } from "./cell.ts";
import { type ChainVerdictName, safeClientIdleMs } from "./chain.ts";
import type { MeasuredChain } from "./grid.ts";
import { isPair } from "./outcome.ts";
import { AT_LIMIT_MS, isAtLimit, NODE_BUFFER_MS } from "./pauses.ts";

/** What was seen of a chain. */
export interface MeasuredVerdict {
  /** As {@linkcode judgeChain} would say it; `null` where the run does not tell. */
  readonly verdict: ChainVerdictName | null;
  /** The hop that ended connections under the client; `null` when none did. */
  readonly unsafeHop: string | null;
  /** What it rests on. */
  readonly reason: string;
}

/** Every time at which a hop may end an idle connection. */
function limitsOf({ hops }: MeasuredChain): number[] {
  return hops.flatMap(({ role, idleMs }) => {
    if (idleMs === null) return [];
    return role === "server" ? [idleMs, idleMs + NODE_BUFFER_MS] : [idleMs];
  });
}

/** How long a connection must be idle for a hop behind the client to have ended it, one way or another. */
function soonestEndMs({ hops }: MeasuredChain): number {
  return Math.min(...hops.flatMap(({ role, idleMs }) => {
    if (idleMs === null || role === "client") return [];
    return (role === "server" ? idleMs + NODE_BUFFER_MS : idleMs) + AT_LIMIT_MS;
  }));
}

/**
 * Whether pairs that saw no connection end under the client show that none does: the client gives every one up in
 * good time, or some were idle beyond the end of a hop and within the client's own limit. Between the two lies a
 * race, which pairs that keep away from limits do not run.
 */
function isPutToTheTest(chain: MeasuredChain, told: readonly CellRow[]): boolean {
  const clientIdleMs = chain.hops[0]!.idleMs!;
  const safeMs = safeClientIdleMs(chain);
  return safeMs === null || clientIdleMs <= safeMs ||
    told.some(({ idleMs }) => idleMs! > soonestEndMs(chain) && idleMs! < clientIdleMs - AT_LIMIT_MS);
}

/** The hop that ended the connections of some pairs: the middlebox tells when it was the one. */
function blamed(cells: readonly CellRow[]): string | null {
  if (cells.some(({ forgotten }) => forgotten === true)) return "middlebox";
  return cells.length > 0 ? "server" : null;
}

/**
 * Judges a chain by what a client that neither retries nor hides anything saw in it. Requests that were lost
 * on a kept connection, with a pause that is near no limit, make it `unsafe`; connections that were ended
 * under the client, without such a loss, `racy`.
 *
 * @param chain the chain
 * @param cells the pairs of the run
 * @returns the verdict and what it rests on
 */
export function verdictOf(chain: MeasuredChain, cells: readonly CellRow[]): MeasuredVerdict {
  const limits = limitsOf(chain);
  const told = cells.filter((cell) =>
    chainOf(cell) === chain.name && cell.variant!.includes("/raw/never/") && isPair(cell.outcome)
  );
  const lost = told.filter(({ failureKind, reused, received }) =>
    failureKind !== null && reused && received === 0
  );
  const lostForSure = lost.filter(({ idleMs }) => !isAtLimit(idleMs!, limits));
  if (lostForSure.length > 0) {
    return {
      verdict: "unsafe",
      unsafeHop: blamed(lostForSure),
      reason: `${lostForSure.length} of ${told.length} second requests were lost, with pauses near no limit`,
    };
  }
  const ended = told.filter(({ noticed }) => noticed === "fin" || noticed === "reset");
  if (ended.length > 0) {
    return {
      verdict: "racy",
      unsafeHop: blamed([...ended, ...lost]),
      reason: `${ended.length} of ${told.length} connections were ended under the client, which saw it in ` +
        `time; ${lost.length} requests were lost, near a limit`,
    };
  }
  if (lost.length > 0) {
    return notTold("Requests were lost, but only after pauses at a limit, where timers decide (--pauses)");
  }
  const longestMs = told.reduce((longest, { idleMs }) => Math.max(longest, idleMs!), 0);
  if (longestMs <= soonestEndMs(chain)) {
    return notTold("No pause was long enough for a hop to end a connection (--pauses, --longest-pause)");
  }
  if (!isPutToTheTest(chain, told)) {
    return notTold(
      "The client gives connections up about when a hop ends them (--client-idle): that is a race, which pairs " +
        "with pauses near no limit do not run",
    );
  }
  return {
    verdict: "safe",
    unsafeHop: null,
    reason: `None of ${told.length} connections was ended under the client`,
  };
}

function notTold(reason: string): MeasuredVerdict {
  return { verdict: null, unsafeHop: null, reason };
}
