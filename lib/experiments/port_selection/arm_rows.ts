import type { TableData } from "../../record/mod.ts";
import type { Arm } from "./plan.ts";
import type { Strategy } from "./strategies.ts";

/** The connects of one arm, in order. */
export interface ArmRows extends Arm {
  /** The time for all of them; `null` when it was not measured. */
  readonly elapsedMs: number | null;
  /** Why it was not measured; `null` when it was. */
  readonly reason: string | null;
  /** The time of each connect, in milliseconds. */
  readonly connectMs: Float64Array;
  /** The local port of each; `NaN` where it failed. */
  readonly ports: Float64Array;
  /** The ports that the program itself tried. */
  readonly attempts: Float64Array;
  /** `ok`, or the kind of the failure. */
  readonly results: readonly string[];
  /** The share of the range that was in use when each began: ports of all sources. */
  readonly uses: Float64Array;
}

const known = new WeakMap<TableData, ArmRows[]>();

/**
 * The arms of a run, each with its connects. They are made once for a table: every figure and claim asks for them.
 *
 * @param tables the raw tables
 * @returns the arms in the order in which they were measured
 */
export function armRows(tables: Readonly<Record<string, TableData>>): readonly ArmRows[] {
  const { arms, connects } = tables as { readonly arms: TableData; readonly connects: TableData };
  const made = known.get(connects) ?? makeArms(arms, connects);
  known.set(connects, made);
  return made;
}

function makeArms(arms: TableData, connects: TableData): ArmRows[] {
  const columns = {
    connectMs: connects.numbers("connectMs"),
    ports: connects.numbers("port"),
    attempts: connects.numbers("attempts"),
    results: connects.texts("result"),
  };
  const rowsOf = Map.groupBy([...connects.texts("variant")].entries(), ([_, variant]) => variant!);
  return [...arms.rows()].map((row) => {
    const number = (name: string) => row[name] as number;
    const own = (rowsOf.get(row.variant as string) ?? []).map(([place]) => place);
    const results = own.map((place) => columns.results[place]!);
    const range = { low: number("low"), high: number("low") + number("ports") - 1 };
    const capacity = number("ports") * number("sources");
    return {
      variant: row.variant as string,
      strategy: row.strategy as Strategy,
      range,
      family: row.family as Arm["family"],
      sources: number("sources"),
      windowPorts: row.windowPorts as number | null,
      threads: number("threads"),
      connects: number("connects"),
      elapsedMs: row.elapsedMs as number | null,
      reason: row.reason as string | null,
      connectMs: Float64Array.from(own, (place) => columns.connectMs[place]!),
      ports: Float64Array.from(own, (place) => columns.ports[place]!),
      attempts: Float64Array.from(own, (place) => columns.attempts[place]!),
      results,
      uses: usesOf(results, capacity),
    };
  });
}

function usesOf(results: readonly string[], capacity: number): Float64Array {
  let used = 0;
  return Float64Array.from(results, (result) => (result === "ok" ? used++ : used) / capacity);
}

/**
 * The places of the connects of an arm that came to a port.
 *
 * @param arm the arm
 * @returns the places, in order
 */
export function connected(arm: ArmRows): number[] {
  return [...arm.results.keys()].filter((place) => arm.results[place] === "ok");
}
