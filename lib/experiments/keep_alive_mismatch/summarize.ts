import { type Metric, metric, type Row, type TableData } from "../../record/mod.ts";
import { quantile, randomSource } from "../../stats/mod.ts";
import { secondsText } from "../_shared/time_text.ts";
import { accountsOf } from "./accounts.ts";
import { upperBound } from "./bound.ts";
import { type CellRow, cellsOf } from "./cell.ts";
import { safeClientIdleMs } from "./chain.ts";
import { costOf, type Quantity } from "./cost.ts";
import { drawGaps } from "./gaps.ts";
import { armsIn, chainsIn } from "./grid.ts";
import { isPair } from "./outcome.ts";
import type { Values } from "./params.ts";
import type { Tables } from "./tables.ts";

/**
 * The metrics of `keep-alive-mismatch`, from its raw rows: counts at both ends; what may hide behind no failure;
 * limits as advertised and as observed; what one's own gaps would come to.
 *
 * @param tables the raw tables
 * @param values the parameters
 * @param seed the seed of drawn gaps and of resampling
 * @returns the metrics
 */
export function summarize(
  tables: { readonly [K in keyof Tables]: TableData },
  values: Values,
  seed: number,
): Metric[] {
  const cells = cellsOf(tables);
  return [
    ...accountMetrics(cells),
    ...boundMetrics(cells),
    ...limitMetrics(tables.limits),
    ...chainsIn(values).map((chain) => {
      const value = safeClientIdleMs(chain);
      const reason = value === null ? "Nothing behind the client has a limit" : null;
      return metric("safeClientIdleMs", { variant: chain.name, value, unit: "ms", reason });
    }),
    ...costMetrics(cells, values, seed),
  ];
}

const UNASKED = "The server could not be asked what it had received";

function accountMetrics(cells: readonly CellRow[]): Metric[] {
  return accountsOf(cells).flatMap(({ variant, sent, received, answered, retried, failed, duplicates }) =>
    Object.entries({
      ...{ sent, received, answered, retried, failed, duplicates },
      lost: retried === null || received === null ? null : sent + retried - received,
    }).map(([name, value]) =>
      metric(name, { variant, value, unit: "1", reason: value === null ? UNASKED : null })
    )
  );
}

/**
 * The pairs of a variant whose second request was made, and the largest share of failures that they leave open
 * where none was seen: none seen is not none.
 */
function boundMetrics(cells: readonly CellRow[]): Metric[] {
  const groups = Map.groupBy(cells, ({ variant }) => variant!);
  return [...groups].sort(([one], [other]) => one < other ? -1 : 1).flatMap(([variant, rows]) => {
    const pairs = rows.filter(({ outcome }) => isPair(outcome));
    const failed = pairs.filter(({ failureKind }) => failureKind !== null).length;
    return [
      metric("pairs", { variant, unit: "1", value: pairs.length }),
      metric("failureUpperBound", { variant, unit: "1", ...boundOf(failed, pairs.length) }),
    ];
  });
}

/** Failures follow the pause, and the pauses were chosen: a share of them is no rate. */
function boundOf(failed: number, pairs: number) {
  if (pairs === 0) return { value: null, reason: "No pair was measured" };
  if (failed === 0) return { value: upperBound(0, pairs) };
  return {
    value: null,
    reason: `${failed} of ${pairs} pairs failed: which ones follows from the pauses, and is no rate`,
  };
}

function limitMetrics(limits: TableData): Metric[] {
  const rows = [...limits.rows()];
  const groups = Map.groupBy(rows, ({ chain }) => chain as string);
  return [...groups].flatMap(([variant, held]) => {
    const watched = held.filter(({ watchedMs }) => watchedMs !== null);
    if (watched.length === 0) {
      const reason = `No connection that was to be held was answered: ${held[0]!.failureKind}`;
      return ["advertisedIdleMs", "observedIdleMs"].map((name) =>
        metric(name, { variant, value: null, unit: "ms", reason })
      );
    }
    const advertisedMs = watched[0]!.advertisedMs as number | null;
    return [
      metric("advertisedIdleMs", {
        variant,
        value: advertisedMs,
        unit: "ms",
        reason: advertisedMs === null ? "The server sends no Keep-Alive: timeout=" : null,
      }),
      metric("observedIdleMs", { variant, unit: "ms", ...observedIn(watched) }),
    ];
  });
}

/** When the client saw connections end: a number only where it saw the end of each. */
function observedIn(watched: readonly Row[]) {
  const observed = watched.map(({ observedMs }) => observedMs as number | null).filter((ms) => ms !== null);
  if (observed.length === watched.length) {
    return { value: quantile(observed, 0.5), low: Math.min(...observed), high: Math.max(...observed) };
  }
  const within = secondsText(Math.min(...watched.map(({ watchedMs }) => watchedMs as number)));
  const reason = observed.length === 0
    ? `The client saw no end within ${within}`
    : `Connections differ: the client saw the end of ${observed.length} of ${watched.length}`;
  return { value: null, reason };
}

function costMetrics(cells: readonly CellRow[], values: Values, seed: number): Metric[] {
  const gapsMs = drawGaps(values.gaps, seed);
  const random = randomSource(seed);
  return armsIn(values).flatMap(({ variant, clientIdleMs }) => {
    const own = cells.filter((cell) => cell.variant === variant);
    const { failuresPerMillion, addedMs } = costOf(own, gapsMs, { random, clientIdleMs });
    const quantity = (name: string, unit: "1" | "ms", { value, low, high, reason }: Quantity) =>
      metric(name, { variant, unit, value, low, high, reason });
    return [
      quantity("failuresPerMillion", "1", failuresPerMillion),
      quantity("addedPerRequestMs", "ms", addedMs),
    ];
  });
}
