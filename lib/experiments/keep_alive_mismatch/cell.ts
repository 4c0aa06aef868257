import type { RowOf, TableData } from "../../record/mod.ts";
import type { Exchange } from "../../transport/mod.ts";
import { labelsCell } from "../_shared/labels.ts";
import type { Arm } from "./grid.ts";
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

/** How the peer's end of a connection looked to the client; `null` where the client does not show it. */
export type PeerEnd = "fin" | "reset" | "none" | null;

/** One request as its client tells of it. */
export interface Asked {
  /** How it went. */
  readonly exchange: Exchange;
  /** How often it was sent; `null` for `fetch`, which does not tell. */
  readonly attempts: number | null;
  /** Whether it was first sent on a kept connection; `null` for `fetch`. */
  readonly reused: boolean | null;
  /** How old that connection was, in milliseconds; `null` when it was none, and for `fetch`. */
  readonly ageMs: number | null;
}

/** A pair of requests as the client saw it. */
export interface Pair {
  /** What it belongs to. */
  readonly arm: Arm;
  /** The pause, as it was meant, in milliseconds. */
  readonly pauseMs: number;
  /** Its place among the pairs of its cell, from 1. */
  readonly repeat: number;
  /** The number of the second request. */
  readonly id: number;
  /** The first request. */
  readonly first: Asked;
  /** What the client had seen of the connection's end when the second request began. */
  readonly noticed: PeerEnd;
  /** The second request; `null` when there was none, as the first one failed. */
  readonly second: Asked | null;
}

/** What the other ends recorded. */
export interface Records {
  /** What the server received, in order. */
  readonly visits: readonly Visit[];
  /** What the middlebox carried. */
  readonly flows: readonly FlowRecord[];
}

/** A row of the table of cells. */
export type CellRow = RowOf<Tables["cells"]>;

/**
 * Finds what server and middlebox saw of each pair.
 *
 * @param records what they recorded
 * @returns makes the row of a pair
 */
export function joiner({ visits, flows }: Records): (pair: Pair) => CellRow {
  const visitsById = Map.groupBy(visits, ({ id }) => id);
  const flowsByPort = new Map(flows.map((flow) => [flow.upstreamPort, flow]));
  return (pair) => {
    const [firstVisit, ...firstMore] = visitsById.get(pair.id - 1) ?? [];
    const received = visitsById.get(pair.id) ?? [];
    const flow = pair.arm.chain === "direct" ? undefined : flowsByPort.get(firstVisit?.clientPort ?? null);
    const sameConnection = received[0] === undefined
      ? null
      : received[0].connection === firstVisit?.connection;
    return cellRow(pair, {
      firstReceived: (firstVisit === undefined ? 0 : 1) + firstMore.length,
      received: received.length,
      sameConnection,
      flow,
    });
  };
}

/** What the other ends saw of one pair. */
interface Seen {
  readonly firstReceived: number;
  readonly received: number;
  /** Whether the server received both requests on one connection; `null` when it did not receive both. */
  readonly sameConnection: boolean | null;
  readonly flow: FlowRecord | undefined;
}

function cellRow(pair: Pair, seen: Seen): CellRow {
  const { arm, pauseMs, repeat, id, first, second, noticed } = pair;
  const { firstReceived, received } = seen;
  const idleMs = second === null
    ? null
    : second.exchange.startMs - (first.exchange.startMs + first.exchange.elapsedMs);
  const firstFailureKind = first.exchange.failure?.kind ?? null;
  const failureKind = second?.exchange.failure?.kind ?? null;
  const reused = second === null ? null : second.reused ?? seen.sameConnection;
  const retried = second === null
    ? 0
    : second.attempts === null
    ? fetchRetries(pair, seen, idleMs!)
    : second.attempts - 1;
  return {
    variant: arm.variant,
    pauseMs,
    repeat,
    id,
    firstElapsedMs: first.exchange.elapsedMs,
    firstFailureKind,
    firstReceived,
    idleMs,
    noticed,
    startMs: second?.exchange.startMs ?? null,
    elapsedMs: second?.exchange.elapsedMs ?? null,
    status: second?.exchange.status ?? null,
    failurePhase: second?.exchange.failure?.phase ?? null,
    failureKind,
    failureSide: second?.exchange.failure?.side ?? null,
    labels: second === null ? null : labelsCell(second.exchange),
    reused,
    ageMs: second?.ageMs ?? null,
    retried,
    received,
    ...endOf(pair, seen, reused, idleMs),
    outcome: outcomeOf({ firstFailureKind, failureKind, reused, retried, received }),
  };
}

/**
 * Who had ended the kept connection by the second request, and how. The middlebox is asked much later: a
 * connection over which the second request came had not been ended by then, whatever became of it afterwards.
 */
function endOf(
  { arm, noticed, second }: Pair,
  { flow, sameConnection }: Seen,
  reused: boolean | null,
  idleMs: number | null,
): Pick<CellRow, "forgotten" | "closedBy" | "closedHow"> {
  const alive = { forgotten: flow === undefined ? null : false, closedBy: null, closedHow: null };
  if (second === null) return { ...alive, forgotten: null };
  if (sameConnection === true) return alive;
  if (flow !== undefined) {
    return { forgotten: flow.forgottenMs !== null, closedBy: flow.closedBy, closedHow: flow.how };
  }
  if (noticed === "fin" || noticed === "reset") return { ...alive, closedBy: "server", closedHow: noticed };
  const expired = noticed === "none" && reused === false && idleMs! >= arm.clientIdleMs - AT_LIMIT_MS;
  return expired ? { ...alive, closedBy: "client", closedHow: "fin" } : alive;
}

/**
 * How often `fetch` sent a request again, which it does not tell: as often as the server received it more than
 * once; and once when it came on another connection although nobody had told `fetch` that the first one was
 * gone, so that only a request that was lost on it can have been the reason.
 */
function fetchRetries({ arm }: Pair, { received, sameConnection, flow }: Seen, idleMs: number): number {
  if (received > 1) return received - 1;
  const untold = flow?.closedBy === "middlebox" && flow.how !== "fin";
  return sameConnection === false && untold && idleMs < arm.clientIdleMs - AT_LIMIT_MS ? 1 : 0;
}

/**
 * The rows of the table of cells, as objects.
 *
 * @param table the table
 * @returns the rows, in order
 */
export function cellsOf(table: TableData): CellRow[] {
  return [...table.rows()] as unknown as CellRow[];
}

/**
 * The chain of a pair.
 *
 * @param cell its row
 * @returns the first part of its variant
 */
export function chainOf({ variant }: Pick<CellRow, "variant">): string {
  return variant!.split("/")[0]!;
}
