import type { TableData } from "../../record/mod.ts";
import { type CellRow, cellsOf } from "./cell.ts";

/** Requests of one variant, counted at both ends. */
export interface Account {
  /** The variant. */
  readonly variant: string;
  /** Requests that the caller made. */
  readonly sent: number;
  /** Of these, requests that were answered. */
  readonly answered: number;
  /** Of these, requests that failed. */
  readonly failed: number;
  /** How often a request was sent again; `null` where the other ends could not be asked, as the next two. */
  readonly retried: number | null;
  /** Requests that the server received, each time counted. */
  readonly received: number | null;
  /** How often it received one that it had received before. */
  readonly duplicates: number | null;
}

/** One request of a pair. */
interface Request {
  readonly id: number;
  readonly failed: boolean;
  readonly retried: number | null;
  readonly received: number | null;
}

function requestsOf(cell: CellRow): Request[] {
  const first = {
    id: cell.id! - 1,
    failed: cell.firstFailureKind !== null,
    retried: 0,
    received: cell.firstReceived,
  };
  if (cell.startMs === null) return [first];
  const second = {
    id: cell.id!,
    failed: cell.failureKind !== null,
    retried: cell.retried,
    received: cell.received,
  };
  return [first, second];
}

function account(variant: string, requests: readonly Request[]): Account {
  const failed = requests.filter((request) => request.failed).length;
  return {
    variant,
    sent: requests.length,
    answered: requests.length - failed,
    failed,
    retried: sum(requests.map(({ retried }) => retried)),
    received: sum(requests.map(({ received }) => received)),
    duplicates: sum(requests.map(({ received }) => received === null ? null : Math.max(0, received - 1))),
  };
}

/** The sum of what is known; `null` when something is not. */
function sum(counts: readonly (number | null)[]): number | null {
  return counts.reduce((total, count) => total === null || count === null ? null : total + count, 0);
}

/**
 * The accounts of every variant.
 *
 * @param cells the pairs
 * @returns an account a variant, in order of their names
 */
export function accountsOf(cells: readonly CellRow[]): Account[] {
  const groups = Map.groupBy(cells, ({ variant }) => variant!);
  return [...groups].sort(([one], [other]) => one < other ? -1 : 1)
    .map(([variant, rows]) => account(variant, rows.flatMap(requestsOf)));
}

/**
 * Why the counts of both ends do not add up.
 *
 * @param cells the pairs, with what the server received of each
 * @param visits the numbers of all requests that the server received
 * @returns the first thing that is wrong; `null` when every request is accounted for
 */
export function findMismatch(cells: readonly CellRow[], visits: ArrayLike<number>): string | null {
  const received = new Map<number, number>();
  for (const id of Array.from(visits)) received.set(id, (received.get(id) ?? 0) + 1);
  for (const cell of cells) {
    for (const request of requestsOf(cell)) {
      const seen = received.get(request.id) ?? 0;
      received.delete(request.id);
      const where = `${cell.variant}: request ${request.id}`;
      if (request.received === null || request.retried === null) {
        return `how often the server received what was sent is not known (${where})`;
      }
      if (seen !== request.received) return `${where} was received ${seen} times, not ${request.received}`;
      if (!request.failed && seen === 0) return `${where} was answered, and the server never received it`;
      if (seen > 1 + request.retried) {
        return `${where} was sent ${1 + request.retried} times and received ${seen} times`;
      }
    }
  }
  const [unknown] = received.keys();
  return unknown === undefined ? null : `The server received request ${unknown}, which no pair has sent`;
}

/**
 * The same of the tables of a run.
 *
 * @param tables the tables
 * @returns the first thing that is wrong; `null` when every request is accounted for
 */
export function findMismatchIn(tables: Readonly<Record<string, TableData>>): string | null {
  return findMismatch(cellsOf(tables), tables.visits!.numbers("id"));
}
