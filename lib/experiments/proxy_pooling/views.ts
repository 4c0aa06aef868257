import { type Latencies, readLatencies } from "../../load/mod.ts";
import type { FailureName, Row, Side, TableData } from "../../record/mod.ts";
import type { Tables } from "./tables.ts";
import type { Path } from "./variants.ts";

/** The tables of a run. */
export type Data = { readonly [K in keyof Tables]: TableData };

/** Requests that failed alike. */
export interface FailedRequests {
  /** Who saw it: the client, or the proxy as the client of its backend. */
  readonly seenBy: "client" | "proxy";
  /** Phase, kind and side, as in the table. */
  readonly phase: string;
  /** How. */
  readonly kind: FailureName;
  /** Whose limit or fault it is. */
  readonly side: Side;
  /** How many. */
  readonly count: number;
}

/** A variant that was loaded, as its rows tell it. */
export interface Loaded {
  /** Its name. */
  readonly variant: string;
  /** The way to the backend. */
  readonly path: Path;
  /** Connections of the client. */
  readonly clients: number;
  /** Successful responses per second, by round. */
  readonly rates: ReadonlyMap<number, number>;
  /** Requests that came to an end, in all rounds. */
  readonly ended: number;
  /** Of these, those that were answered with success. */
  readonly answered: number;
  /** Of these, those that were answered with another status: what a proxy answers that finds no backend. */
  readonly refused: number;
  /** Requests whose time came while no connection was free. */
  readonly unsent: number;
  /** Requests that were on their way when a load ended. */
  readonly unfinished: number;
  /** Connections that the client opened in a round, at most: each load opens its own. */
  readonly mostOpened: number;
  /** Times of all responses. */
  readonly service: Latencies;
}

const isSame = (variant: string) => (row: Row) => row.variant === variant;

/**
 * What was loaded, variants in the order in which each was first measured.
 *
 * @param tables the raw tables
 * @returns the variants
 */
export function loadedOf({ loads, seconds }: Data): Loaded[] {
  const histograms = Map.groupBy(seconds.rows(), ({ variant }) => variant as string);
  return [...Map.groupBy(loads.rows(), ({ variant }) => variant as string)].map(([variant, rows]) => {
    const sum = (column: string) => sumOf(rows, column);
    const [{ path, clients }] = rows as [Row];
    const [answered, refused] = [sum("answered2xx"), sum("answeredOther")];
    const inTime = rows.filter(({ elapsedMs }) => elapsedMs as number > 0);
    return {
      ...{ variant, path: path as Path, clients: clients as number, answered, refused },
      rates: new Map(
        inTime.map(({ round, answered2xx, elapsedMs }) => [
          round as number,
          (answered2xx as number) * 1000 / (elapsedMs as number),
        ]),
      ),
      ended: answered + refused + sum("failed"),
      ...{ unsent: sum("unsent"), unfinished: sum("unfinished") },
      mostOpened: Math.max(...rows.map(({ opened }) => opened as number)),
      service: readLatencies((histograms.get(variant) ?? []).map(({ service }) => `${service ?? ""}`)),
    };
  });
}

/**
 * Those that compare paths with a number of clients, by that number and in the order of the paths.
 *
 * @param tables the raw tables
 * @returns the variants
 */
export function cellsLoaded(tables: Data): Loaded[] {
  return loadedOf(tables)
    .filter(({ variant, path, clients }) => variant === `${path}/${clients}`)
    .sort((one, other) => one.clients - other.clients || (one.path < other.path ? -1 : 1));
}

/**
 * The failures of a variant, those of the round that warms up left out.
 *
 * @param tables the raw tables
 * @param variant the variant
 * @returns its failures by who saw them, phase, kind and side
 */
export function failuresOf({ failures }: Data, variant: string): FailedRequests[] {
  const own = [...failures.rows()].filter(isSame(variant)).filter(({ round }) => round !== 0);
  const groups = Map.groupBy(
    own,
    (row) => [row.seenBy, row.failurePhase, row.failureKind, row.failureSide].join(" "),
  );
  return [...groups.values()].map((rows) => ({
    seenBy: rows[0]!.seenBy as FailedRequests["seenBy"],
    phase: rows[0]!.failurePhase as string,
    kind: rows[0]!.failureKind as FailureName,
    side: rows[0]!.failureSide as Side,
    count: sumOf(rows, "count"),
  }));
}

/** What a proxy has counted, by the columns of its table. */
type ProxyColumn = Exclude<keyof Tables["proxies"], "variant" | "round">;

/**
 * What a proxy has counted in all rounds, and the connections that it opened in one, at most: what a load cuts off at its
 * end takes its connection to the backend along, so that a sum would book the ends of loads to the pool.
 */
export type ProxyCounts = Readonly<Record<ProxyColumn | "mostOpened", number>>;

/**
 * What the proxy of a variant has counted.
 *
 * @param tables the raw tables
 * @param variant the variant
 * @returns its counts; `null` where there is none, or the run ended before it was asked
 */
export function proxyOf({ proxies }: Data, variant: string): ProxyCounts | null {
  const own = [...proxies.rows()].filter(isSame(variant));
  if (own.length === 0) return null;
  const columns = Object.keys(proxies.schema).filter((column) => column !== "variant" && column !== "round");
  const sums = Object.fromEntries(columns.map((column) => [column, sumOf(own, column)]));
  const mostOpened = Math.max(...own.map(({ opened }) => opened as number));
  return { ...sums as Record<ProxyColumn, number>, mostOpened };
}

/**
 * The sum of a column.
 *
 * @param rows some rows
 * @param column the column
 * @returns the sum
 */
export function sumOf(rows: readonly Row[], column: string): number {
  return rows.reduce((sum, row) => sum + (row[column] as number), 0);
}

/** What ran short of ports, or did not. */
export interface Shortage {
  /** Its requests. */
  readonly loaded: Loaded;
  /** Ports of the range. */
  readonly ports: number;
  /** How long TIME_WAIT lasts, in milliseconds. */
  readonly timeWaitMs: number;
  /** Requests that were to begin in a second. */
  readonly ratePerSecond: number;
  /** How long they were to begin, in milliseconds. */
  readonly durationMs: number;
  /** Successes before the first request that came to something else; `null` when none did. */
  readonly successesBeforeFailure: number | null;
  /** The status of every answer that was no success. */
  readonly refusals: readonly (number | null)[];
}

/**
 * Where ports were to run short.
 *
 * @param tables the raw tables
 * @returns the variants, without those that a run that was stopped has not measured
 */
export function shortagesOf(tables: Data): Shortage[] {
  const loaded = loadedOf(tables);
  return [...tables.shortages.rows()].flatMap(({ variant, ports, timeWaitMs, ratePerSecond, durationMs }) => {
    const found = loaded.find((one) => one.variant === variant);
    if (found === undefined) return [];
    const outcomes = [...tables.outcomes.rows()].filter(isSame(variant as string));
    const others = outcomes.filter(({ status }) => status !== 200);
    const planned = { ports, timeWaitMs, ratePerSecond, durationMs };
    return [{
      ...planned as Pick<Shortage, keyof typeof planned>,
      loaded: found,
      successesBeforeFailure: (others[0]?.order ?? null) as number | null,
      refusals: [...new Set(others.map(({ status }) => status as number | null))],
    }];
  });
}
