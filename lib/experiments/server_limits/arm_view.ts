import {
  type FailureName,
  type Metric,
  metric,
  type MetricOptions,
  type RowOf,
  type Side,
} from "../../record/mod.ts";
import { kindName } from "../_shared/kind_name.ts";
import type { RunTables } from "./mode.ts";
import type { GaveOut } from "./sides.ts";
import type { Tables } from "./tables.ts";
import type { Moment, Reading } from "./watch.ts";

/** The connections of an arm, column by column. */
export interface ArmConnections {
  /** When each was open, in milliseconds since the arm began; `NaN` when it never was. */
  readonly openMs: readonly number[];
  /** When the server ended it; `NaN` when it did not. */
  readonly closedMs: readonly number[];
  /** The status of its last answer; `NaN` without one. */
  readonly status: readonly number[];
  /** The kind of its failure; `null` without one. */
  readonly kind: readonly (string | null)[];
  /** The phase of its failure; `null` without one. */
  readonly phase: readonly (string | null)[];
  /** The side of its failure; `null` without one. */
  readonly side: readonly (string | null)[];
}

/** One arm of a run, read back from its tables. */
export interface ArmView {
  /** Its row. */
  readonly arm: RowOf<Tables["arms"]>;
  /** Its connections. */
  readonly connections: ArmConnections;
  /** The looks at its servers, in order. */
  readonly readings: readonly Reading[];
}

/**
 * The arms of a run.
 *
 * @param tables the raw tables
 * @returns an arm a row, in order of their names
 */
export function armViews(tables: Pick<RunTables, "arms" | "connections" | "readings">): ArmView[] {
  // Arms that are measured side by side end in any order.
  const arms = ([...tables.arms.rows()] as RowOf<Tables["arms"]>[])
    .sort((a, b) => a.variant! < b.variant! ? -1 : 1);
  const readings = [...tables.readings.rows()] as Reading[];
  const variants = tables.connections.texts("variant");
  return arms.map((arm) => {
    const rows = [...variants.keys()].filter((row) => variants[row] === arm.variant);
    const numbers = (column: string) => {
      const values = tables.connections.numbers(column);
      return rows.map((row) => values[row]!);
    };
    const texts = (column: string) => {
      const values = tables.connections.texts(column);
      return rows.map((row) => values[row]!);
    };
    return {
      arm,
      connections: {
        openMs: numbers("openMs"),
        closedMs: numbers("closedMs"),
        status: numbers("status"),
        kind: texts("failureKind"),
        phase: texts("failurePhase"),
        side: texts("failureSide"),
      },
      readings: readings.filter(({ variant }) => variant === arm.variant),
    };
  });
}

/** What can be summed over the servers of an arm. */
type Countable = "accepted" | "active" | "inFlight" | "atServer" | "atClient" | "rssBytes";

/** A sum, or why there is none. */
export interface Sum {
  /** The sum; `null` when a server did not tell. */
  readonly value: number | null;
  /** Why; `null` when there is one. */
  readonly reason: string | null;
}

/**
 * The last look at each server of an arm.
 *
 * @param view the arm
 * @param moment which looks
 * @returns the looks; none where it was not looked at in that moment
 */
export function lastLooks({ arm, readings }: ArmView, moment: Moment): Reading[] {
  return readings.filter((reading) => reading.moment === moment).slice(-arm.servers!);
}

/**
 * A count over the servers of an arm, as it was at the last of some looks.
 *
 * @param view the arm
 * @param moment which looks
 * @param column what is counted
 * @returns the sum over the servers
 */
export function lastSum(view: ArmView, moment: Moment, column: Countable): Sum {
  const looks = lastLooks(view, moment);
  if (looks.length === 0 && view.arm.givenUp !== null) return { value: null, reason: view.arm.givenUp };
  if (looks.length === 0) return { value: null, reason: `No server was asked at that moment (${moment})` };
  const missing = looks.find((look) => look[column] === null);
  if (missing !== undefined) return { value: null, reason: missing.reason ?? "The system does not tell" };
  return { value: looks.reduce((sum, look) => sum + look[column]!, 0), reason: null };
}

/**
 * How many connections to its servers are those that look at them: the servers count them as they count any.
 *
 * @param view the arm
 * @returns one for each server that tells its counts
 */
export function pollsOf({ arm, readings }: ArmView): number {
  return readings.some(({ inFlight }) => inFlight !== null) ? arm.servers! : 0;
}

/**
 * The metrics that every arm with connections has.
 *
 * @param view the arm
 * @param gaveOut the sides that gave out in it
 * @returns the metrics
 */
export function crowdMetrics(view: ArmView, gaveOut: readonly GaveOut[]): Metric[] {
  const { arm } = view;
  const of = (name: string, options: Omit<MetricOptions, "variant" | "unit">) =>
    metric(name, { variant: arm.variant, unit: "1", ...options });
  const partial = arm.givenUp ??
    (arm.lostShards! > 0 ? `${lostText(arm.lostShards!)}: ${othersText(arm)}` : null);
  const untold = arm.client === "fetch" ? "fetch does not tell what it opens: see held" : partial;
  const told = (value: number | null, reason: string | null) =>
    reason === null ? { value } : { value: null, reason };
  return [
    of("opened", told(arm.opened, untold)),
    of("failed", told(arm.failed, partial)),
    ...failuresOf(view, gaveOut).map(({ kind, side, count }) => of(kindName(kind, side), { value: count })),
    of("held", lastSum(view, "held", "atClient")),
    of("acceptedAtServer", lastSum(view, "held", "accepted")),
    of("activeAtServer", lastSum(view, "held", "active")),
    of("inFlightAtServer", lastSum(view, "held", "inFlight")),
    of("openAtServersKernel", lastSum(view, "held", "atServer")),
  ];
}

/**
 * Tells of processes of the client whose connections are in no row.
 *
 * @param count how many
 * @returns a clause
 */
export function lostText(count: number): string {
  return count === 1 ? "1 process of the client was lost" : `${count} processes of the client were lost`;
}

function othersText({ opened, begun }: ArmView["arm"]): string {
  return `the others opened ${opened} of ${begun} connections`;
}

/** How many connections failed in one way. */
export interface FailedAlike {
  /** The kind. */
  readonly kind: FailureName;
  /** Whose limit or fault that is. */
  readonly side: Side;
  /** How many. */
  readonly count: number;
}

/**
 * The failures of an arm's connections. Where the side of one is unknown by itself, and the server alone gave out, it is
 * the server's.
 *
 * @param view the arm
 * @param gaveOut the sides that gave out in it
 * @returns how many there are of each kind and side, in the order in which each was first met
 */
export function failuresOf({ connections }: ArmView, gaveOut: readonly GaveOut[]): FailedAlike[] {
  const { kind } = connections;
  const isServers = gaveOut.length === 1 && gaveOut[0]!.side === "server";
  const side = connections.side.map((side) => side === "unknown" && isServers ? "server" : side);
  const rows = [...kind.keys()].filter((row) => kind[row] !== null);
  return [...Map.groupBy(rows, (row) => `${kind[row]} ${side[row]}`).values()].map((rows) => ({
    kind: kind[rows[0]!] as FailureName,
    side: side[rows[0]!] as Side,
    count: rows.length,
  }));
}
