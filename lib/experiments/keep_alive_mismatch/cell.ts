import type { RowOf, TableData } from "../../record/mod.ts";
import type { Exchange } from "../../transport/mod.ts";
import { labelsCell } from "../_shared/labels.ts";
import type { FateRow } from "./fate.ts";
import type { Arm } from "./grid.ts";
import type { Tables } from "./tables.ts";

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

/** A row of the table of pairs: what the client saw. */
export type PairRow = RowOf<Tables["pairs"]>;

/**
 * A pair with what became of it. Where the other ends could not be asked, as in a run that was cut short, what only
 * they know is empty.
 */
export type CellRow = PairRow & { readonly [K in keyof FateRow]: FateRow[K] };

/**
 * What a client saw of a pair, as a row.
 *
 * @param pair the pair
 * @returns the row
 */
export function pairRow({ arm, pauseMs, repeat, id, first, noticed, second }: Pair): PairRow {
  const asked = second?.exchange;
  return {
    ...{ variant: arm.variant, pauseMs, repeat, id },
    firstElapsedMs: first.exchange.elapsedMs,
    firstFailureKind: first.exchange.failure?.kind ?? null,
    idleMs: asked === undefined ? null : asked.startMs - (first.exchange.startMs + first.exchange.elapsedMs),
    noticed,
    startMs: asked?.startMs ?? null,
    elapsedMs: asked?.elapsedMs ?? null,
    status: asked?.status ?? null,
    failurePhase: asked?.failure?.phase ?? null,
    failureKind: asked?.failure?.kind ?? null,
    failureSide: asked?.failure?.side ?? null,
    labels: asked === undefined ? null : labelsCell(asked),
    reused: second?.reused ?? null,
    ageMs: second?.ageMs ?? null,
    attempts: second?.attempts ?? null,
  };
}

const UNKNOWN: Omit<FateRow, "id"> = {
  ...{ firstReceived: null, received: null, sameConnection: null, retried: null },
  ...{ forgotten: null, closedBy: null, closedHow: null, outcome: null },
};

/**
 * What both ends saw of a pair.
 *
 * @param pair what the client saw
 * @param fate what became of it; `undefined` where the other ends could not be asked
 * @returns both; `fetch` does not tell over which connection it sent, and the server does
 */
export function cellOf(pair: PairRow, fate: Omit<FateRow, "id"> = UNKNOWN): CellRow {
  return { ...pair, ...fate, id: pair.id, reused: pair.reused ?? fate.sameConnection };
}

/**
 * What both ends saw of every pair of a run.
 *
 * @param tables the run's tables
 * @returns the pairs, in the order in which they were over
 */
export function cellsOf({ pairs, fates }: Readonly<Record<string, TableData>>): CellRow[] {
  const known = new Map([...fates!.rows()].map((row) => [row.id, row as unknown as FateRow]));
  return [...pairs!.rows()].map((row) => cellOf(row as unknown as PairRow, known.get(row.id!)));
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
