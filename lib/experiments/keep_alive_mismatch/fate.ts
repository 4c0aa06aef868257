import type { RowOf } from "../../record/mod.ts";
import { chainOf, type PairRow } from "./cell.ts";
import { outcomeOf } from "./outcome.ts";
import { AT_LIMIT_MS } from "./pauses.ts";
import type { Tables } from "./tables.ts";

/** What the server recorded of one request. */
export interface Visit {
  /** Its number. */
  readonly id: number;
  /** Its method. */
  readonly method: string;
  /** The connection, as the server numbers them. */
  readonly connection: number;
  /** The port that it came from. */
  readonly clientPort: number;
  /** When it came, on the server's clock, in milliseconds. */
  readonly atMs: number;
}

/** What the middlebox recorded of one connection. */
export interface FlowRecord {
  /** The client's port. */
  readonly clientPort: number;
  /** The port from which it spoke to the server. */
  readonly upstreamPort: number | null;
  /** When it was opened, on the middlebox's clock, in milliseconds. */
  readonly openedMs: number;
  /** When something last came from either end. */
  readonly lastMs: number;
  /** When it was forgotten; `null` when it was not. */
  readonly forgottenMs: number | null;
  /** Who ended it first; `null` when nobody had. */
  readonly closedBy: string | null;
  /** How; `null` when nobody had ended it. */
  readonly how: string | null;
  /** Bytes that were passed on to the server. */
  readonly bytesUp: number;
  /** Bytes that were passed on to the client. */
  readonly bytesDown: number;
}

/** What the other ends recorded. */
export interface Records {
  /** What the server received, in order. */
  readonly visits: readonly Visit[];
  /** What the middlebox carried. */
  readonly flows: readonly FlowRecord[];
}

/** A row of the table of fates: what became of a pair. */
export type FateRow = RowOf<Tables["fates"]>;

/**
 * Finds what server and middlebox saw of each pair, and what became of it.
 *
 * @param records what they recorded
 * @returns makes the row of a pair whose client keeps an idle connection for so many milliseconds
 */
export function joiner({ visits, flows }: Records): (pair: PairRow, clientIdleMs: number) => FateRow {
  const visitsById = Map.groupBy(visits, ({ id }) => id);
  const flowsByPort = new Map(flows.map((flow) => [flow.upstreamPort, flow]));
  return (pair, clientIdleMs) => {
    const first = visitsById.get(pair.id! - 1) ?? [];
    const second = visitsById.get(pair.id!) ?? [];
    const sameConnection = first.length === 0 || second.length === 0
      ? null
      : second[0]!.connection === first[0]!.connection;
    const flow = chainOf(pair) === "direct" ? undefined : flowsByPort.get(first[0]?.clientPort ?? null);
    const received = second.length;
    const seen: Seen = { clientIdleMs, received, sameConnection, flow };
    const retried = retriesOf(pair, seen);
    const reused = pair.reused ?? sameConnection;
    return {
      ...{ id: pair.id, firstReceived: first.length, received, sameConnection, retried },
      ...endOf(pair, seen, reused),
      outcome: outcomeOf({ ...pair, reused, retried, received }),
    };
  };
}

/** What there is to know of one pair beside what its client saw. */
interface Seen {
  readonly clientIdleMs: number;
  readonly received: number;
  /** Whether the server received both requests on one connection; `null` when it did not receive both. */
  readonly sameConnection: boolean | null;
  readonly flow: FlowRecord | undefined;
}

/**
 * Who had ended the kept connection by the second request, and how. The middlebox is asked much later: a
 * connection over which the second request came had not been ended by then, whatever became of it afterwards.
 */
function endOf(
  { startMs, idleMs, noticed }: PairRow,
  { clientIdleMs, flow, sameConnection }: Seen,
  reused: boolean | null,
): Pick<FateRow, "forgotten" | "closedBy" | "closedHow"> {
  const alive = { forgotten: flow === undefined ? null : false, closedBy: null, closedHow: null };
  if (startMs === null) return { ...alive, forgotten: null };
  if (sameConnection === true) return alive;
  if (flow !== undefined) {
    return { forgotten: flow.forgottenMs !== null, closedBy: flow.closedBy, closedHow: flow.how };
  }
  if (noticed === "fin" || noticed === "reset") return { ...alive, closedBy: "server", closedHow: noticed };
  const expired = noticed === "none" && reused === false && idleMs! >= clientIdleMs - AT_LIMIT_MS;
  return expired ? { ...alive, closedBy: "client", closedHow: "fin" } : alive;
}

/**
 * How often the second request was sent again. `fetch` does not tell: as often as the server received it more than
 * once; and once when it came on another connection although nobody had told `fetch` that the first one was
 * gone, so that only a request that was lost on it can have been the reason.
 */
function retriesOf({ startMs, idleMs, attempts }: PairRow, seen: Seen): number {
  if (startMs === null) return 0;
  if (attempts !== null) return attempts - 1;
  const { clientIdleMs, received, sameConnection, flow } = seen;
  if (received > 1) return received - 1;
  const untold = flow?.closedBy === "middlebox" && flow.how !== "fin";
  return sameConnection === false && untold && idleMs! < clientIdleMs - AT_LIMIT_MS ? 1 : 0;
}
