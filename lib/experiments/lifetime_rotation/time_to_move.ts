import type { TableData } from "../../record/mod.ts";
import { rowsOf } from "./changes.ts";
import type { Values } from "./params.ts";
import type { Tables } from "./tables.ts";
import type { MovingVariant } from "./variants.ts";

/** How long it took until every request went to the name's new address. */
export interface TimeToMove {
  /**
   * From the move of the name to the first request that began when the last one to the old address was done, in
   * the experiment's milliseconds.
   */
  readonly ms: number | null;
  /** Why there is none; `null` when there is one. */
  readonly reason: string | null;
  /** Requests that began after the move, and reached either address. */
  readonly requests: number;
  /** How many of them went to the old address. */
  readonly toOld: number;
  /** For how long requests were made after the move, in the experiment's milliseconds. */
  readonly watchedMs: number;
}

/**
 * How long it took a variant to move with its name.
 *
 * @param tables the raw tables
 * @param variant the variant
 * @param values the parameters, for the speed
 */
export function timeToMove(
  tables: Pick<{ readonly [K in keyof Tables]: TableData }, "requests" | "moves">,
  variant: MovingVariant,
  { speed }: Pick<Values, "speed">,
): TimeToMove {
  const [move] = [...tables.moves.rows()];
  if (move === undefined) {
    const reason = "The run ended before the name moved";
    return { ms: null, reason, requests: 0, toOld: 0, watchedMs: 0 };
  }
  const movedMs = move.movedMs as number;
  const [startMs, elapsedMs] = ["startMs", "elapsedMs"].map((name) => tables.requests.numbers(name));
  const addresses = tables.requests.texts("address");
  const later = rowsOf(tables.requests, variant)
    .filter((row) => startMs![row]! >= movedMs && addresses[row] !== null)
    .sort((left, right) => startMs![left]! - startMs![right]!);
  const old = later.filter((row) => addresses[row] === move.from);
  const watchedMs = (move.endedMs as number - movedMs) * speed;
  const counts = { requests: later.length, toOld: old.length, watchedMs };
  const doneMs = old.reduce((latest, row) => Math.max(latest, startMs![row]! + elapsedMs![row]!), movedMs);
  const first = later.find((row) => startMs![row]! >= doneMs);
  if (first !== undefined) return { ...counts, ms: (startMs![first]! - movedMs) * speed, reason: null };
  const reason = later.length === 0
    ? "No request was made after the name had moved"
    : `Did not move within the run: ${Math.round(watchedMs)} ms later requests still went to ${move.from}`;
  return { ...counts, ms: null, reason };
}
