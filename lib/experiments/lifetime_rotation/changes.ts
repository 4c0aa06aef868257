import type { TableData } from "../../record/mod.ts";
import { secondsText } from "../_shared/time_text.ts";
import type { Values } from "./params.ts";

const MOST_TIMES = 10;

/**
 * The rows of a variant, in their order where they have one: they stand in the table as they ended.
 *
 * @param table a table with a column `variant`
 * @param variant the variant
 * @returns the places of the rows
 */
export function rowsOf(table: TableData, variant: string): number[] {
  const variants = table.texts("variant");
  const rows = [...variants.keys()].filter((row) => variants[row] === variant);
  if (!("order" in table.schema)) return rows;
  const orders = table.numbers("order");
  return rows.sort((left, right) => orders[left]! - orders[right]!);
}

/**
 * The requests of rotation that came over another connection than the one before them.
 *
 * @param requests the table of requests
 * @returns their places, from 0
 */
export function changesOf(requests: TableData): number[] {
  const connections = requests.numbers("connection");
  const ids = rowsOf(requests, "rotation").map((row) => connections[row]!);
  return [...ids.keys()].filter((order) => order > 0 && ids[order] !== ids[order - 1]);
}

/** The changes that a lifetime calls for. */
export interface ExpectedChanges {
  /** The requests that come first at or after the lifetime of the connection before. */
  readonly orders: readonly number[];
  /** How close the age of a connection comes to the lifetime at any request: lateness beyond it changes them. */
  readonly slackMs: number;
}

/**
 * When the connection changes, if requests begin when they are due and opening takes no time: at the first
 * request at or after the lifetime.
 *
 * @param values the parameters
 * @returns the changes, in the experiment's time
 *
 * @example
 * ```ts
 * import { expectedChanges } from "./changes.ts";
 * import { assertEquals } from "@std/assert";
 * const { orders } = expectedChanges({ requests: 7, interval: 1000, lifetime: 2500 });
 * assertEquals(orders, [3, 6]);
 * ```
 */
export function expectedChanges(
  { requests, interval, lifetime }: Pick<Values, "requests" | "interval" | "lifetime">,
): ExpectedChanges {
  const orders: number[] = [];
  let opened = 0;
  let slackMs = Infinity;
  for (let order = 1; order < requests; order++) {
    const ageMs = (order - opened) * interval;
    slackMs = Math.min(slackMs, Math.abs(ageMs - lifetime));
    if (ageMs < lifetime) continue;
    orders.push(order);
    opened = order;
  }
  return { orders, slackMs };
}

/**
 * Changes in words.
 *
 * @param orders the requests at which the connection changed
 * @param values the parameters
 * @returns such as `t = 3 s and 6 s`
 */
export function timesOf(orders: readonly number[], { interval }: Pick<Values, "interval">): string {
  if (orders.length === 0) return "no time";
  const times = orders.slice(0, MOST_TIMES).map((order) => secondsText(order * interval));
  if (orders.length > MOST_TIMES) times.push(`${orders.length - MOST_TIMES} more`);
  const last = times.pop()!;
  return `t = ${times.length === 0 ? last : `${times.join(", ")} and ${last}`}`;
}
