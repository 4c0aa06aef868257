import { column, LABELS, type TypedColumn } from "../../record/mod.ts";
import {
  delayedAckShare,
  type Exchange,
  type LabelFacts,
  labelsOf,
  type PooledExchange,
} from "../../transport/mod.ts";
import type { MeasureContext } from "../contract.ts";

/** The column of what {@linkcode labelsCell} gives. */
export const labelsColumn: TypedColumn<"string"> = column.text(
  `patterns of TCP that its times or its failure show, each a hint (${Object.keys(LABELS).join(", ")}); ` +
    "empty for none, and for fetch, which shows too little",
);

/**
 * The labels of an exchange.
 *
 * @param exchange how the exchange went
 * @returns their names, a space between them; `null` for none
 */
export function labelsCell(exchange: Exchange | PooledExchange): string | null {
  return labelsOf(factsOf(exchange)).join(" ") || null;
}

/**
 * Warns of what the labels of some exchanges tell. A delayed ACK is told of many exchanges only: one wait of
 * that length may be the server's own.
 *
 * @param exchanges how exchanges with one server went
 * @param context where warnings go
 */
export function warnOfLabels(
  exchanges: readonly (Exchange | PooledExchange)[],
  context: Pick<MeasureContext, "warn">,
): void {
  const facts = exchanges.map(factsOf);
  const labels = new Set(facts.flatMap((exchange) => labelsOf(exchange)));
  if (!delayedAckShare(facts).evidence) labels.delete("delayed-ack");
  for (const label of labels) {
    const { meaning, cause, remedy } = LABELS[label];
    context.warn({ code: label, message: `${meaning}. ${cause}`, remedy });
  }
}

/** A pool tells whether a connection is reused; of `raw`, one that took no time to connect is. */
function factsOf(exchange: Exchange | PooledExchange): LabelFacts {
  const { connection, connectMs, waitMs, receiveMs, failure } = exchange;
  const kept = connection === null ? null : connectMs === null;
  return { reused: "reused" in exchange ? exchange.reused : kept, connectMs, waitMs, receiveMs, failure };
}
