import { type Metric, metric, type TableData } from "../../record/mod.ts";
import { bootstrapMean, bootstrapRatio } from "../../stats/mod.ts";

/** One variant's rounds, in order. */
export interface Arm {
  /** The variant. */
  readonly variant: string;
  /** The number of each of its rounds. */
  readonly round: readonly number[];
  /** Requests made, round by round. */
  readonly requests: readonly number[];
  /** Requests that failed, in all rounds. */
  readonly failed: number;
  /** The status codes that it was answered with. */
  readonly statuses: ReadonlySet<number>;
  /** The time of each round, in milliseconds. */
  readonly elapsedMs: readonly number[];
  /** The table of rounds. */
  readonly rounds: TableData;
  /** The places of its rounds in that table. */
  readonly rows: readonly number[];
}

/**
 * The variants of a run.
 *
 * @param rounds a row a round and variant: `variant`, `round`, `requests`, `failed`, `elapsedMs`, `connections`,
 * `connectionsReason`
 * @param requests a row a request: `variant`, `status`
 * @returns an arm a variant, in order of their names
 */
export function armsOf(rounds: TableData, requests: TableData): Arm[] {
  const variants = rounds.texts("variant");
  const numbers = (column: string) => rounds.numbers(column);
  const statuses = statusesOf(requests);
  return [...new Set(variants)].sort().map((variant) => {
    const rows = [...variants.keys()].filter((row) => variants[row] === variant)
      .sort((left, right) => numbers("round")[left]! - numbers("round")[right]!);
    return {
      variant: variant!,
      rounds,
      rows,
      round: rows.map((row) => numbers("round")[row]!),
      requests: rows.map((row) => numbers("requests")[row]!),
      failed: rows.reduce((total, row) => total + numbers("failed")[row]!, 0),
      statuses: statuses.get(variant!) ?? new Set(),
      elapsedMs: rows.map((row) => numbers("elapsedMs")[row]!),
    };
  });
}

/** The status codes that each variant was answered with. */
function statusesOf(requests: TableData): Map<string, Set<number>> {
  const variants = requests.texts("variant");
  const codes = requests.numbers("status");
  const statuses = new Map<string, Set<number>>();
  for (const [row, variant] of variants.entries()) {
    if (!statuses.has(variant!)) statuses.set(variant!, new Set());
    if (!Number.isNaN(codes[row])) statuses.get(variant!)!.add(codes[row]!);
  }
  return statuses;
}

/**
 * Why the times of some arms are no times of like requests.
 *
 * @param arms the arms
 * @returns the reason; `null` when they are
 */
export function whyNoTimes(arms: readonly Arm[]): string | null {
  const failed = arms.reduce((total, arm) => total + arm.failed, 0);
  if (failed > 0) return `${failed} requests failed, and a failure takes a time of its own`;
  const statuses = new Set(arms.flatMap((arm) => [...arm.statuses]));
  if (statuses.size > 1) {
    return `Requests were answered unlike each other: status ${[...statuses].join(" and ")}`;
  }
  return null;
}

/**
 * The mean time of an arm's rounds, with its interval. Times of rounds with failures, or with unlike answers,
 * are no times of requests and are not given.
 *
 * @param arm the arm
 * @param random random numbers in [0, 1)
 * @returns the metric `elapsedMs`
 */
export function elapsedMetric(arm: Arm, random: () => number): Metric {
  const { variant } = arm;
  const reason = whyNoTimes([arm]);
  return reason === null
    ? metric("elapsedMs", { variant, unit: "ms", ...bootstrapMean(arm.elapsedMs, { random }) })
    : metric("elapsedMs", { variant, unit: "ms", value: null, reason });
}

/** What {@linkcode countMetric} counts. */
export interface CountOptions {
  /** The name of the metric. */
  readonly name: string;
  /** The column of the table of rounds that has the counts. */
  readonly column: string;
  /** The column that tells why there is none. @default {none: it is always counted} */
  readonly reasonColumn?: string;
}

/**
 * A count that every round of an arm should share; where rounds differ there is a range and no value.
 *
 * @param arm the arm
 * @param options what is counted
 * @returns the metric
 */
export function countMetric(arm: Arm, options: CountOptions): Metric {
  const { rounds, rows, variant } = arm;
  const { name, column, reasonColumn } = options;
  const counts = rows.map((row) => rounds.numbers(column)[row]!);
  const missing = counts.findIndex(Number.isNaN);
  if (missing >= 0) {
    const reason = reasonColumn === undefined ? null : rounds.texts(reasonColumn)[rows[missing]!];
    return metric(name, { variant, value: null, unit: "1", reason: reason ?? "Not counted" });
  }
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  if (low === high) return metric(name, { variant, value: low, unit: "1" });
  const reason = `Rounds differ: ${low} to ${high}`;
  return metric(name, { variant, value: null, unit: "1", low, high, reason });
}

/**
 * Why the requests of an arm are not known to have shared a connection, round by round.
 *
 * @param arm the arm
 * @returns the reason; `null` when each round had one connection and more requests
 */
function whyNotShared({ variant, rounds, rows, round, requests }: Arm): string | null {
  const connections = rows.map((row) => rounds.numbers("connections")[row]!);
  const apart = connections.findIndex((count) => count > 1);
  if (apart >= 0) {
    return `${variant} did not share a connection: round ${round[apart]} had ${connections[apart]} for ` +
      `${requests[apart]} requests`;
  }
  const unknown = connections.findIndex((count) => count !== 1);
  if (unknown >= 0) {
    const reason = rounds.texts("connectionsReason")[rows[unknown]!] ?? "Not counted";
    return `${variant} is not known to have shared a connection, round ${round[unknown]}: ${reason}`;
  }
  if (requests.some((count) => count === 1)) return "one request a round shares its connection with none";
  return null;
}

/** What {@linkcode newAgainstShared} compares. */
export interface ComparisonOptions {
  /** The arms of the run. */
  readonly arms: readonly Arm[];
  /** Random numbers in [0, 1), for the intervals. */
  readonly random: () => number;
  /** Why two arms may not be compared; `null` when they may. @default {see whyNoTimes} */
  readonly refuse?: (arms: readonly [Arm, Arm]) => string | null;
}

/**
 * What a new connection for every request costs against one that is kept: the ratio of the two times over
 * pairs of rounds, and what each request adds. Where the connection is not known to have been kept there is
 * nothing to hold anything against.
 *
 * @param name what the variants `<name>/new` and `<name>/shared` have in common
 * @param options the arms
 * @returns the metrics `elapsedRatio` and `addedPerRequestMs`; none when one of the two is not there
 */
export function newAgainstShared(name: string, options: ComparisonOptions): Metric[] {
  const { arms, random, refuse = whyNoTimes } = options;
  const fresh = arms.find(({ variant }) => variant === `${name}/new`);
  const kept = arms.find(({ variant }) => variant === `${name}/shared`);
  if (!fresh || !kept) return [];
  // A run that was interrupted may have a round of one of the two alone.
  const pairs = fresh.round
    .map((round, index) => ({ index, other: kept.round.indexOf(round) }))
    .filter(({ other }) => other >= 0);
  const why = refuse([fresh, kept]) ?? whyNotShared(kept) ??
    (pairs.length === 0 ? "there is no round of both" : null);
  if (why !== null) {
    const none = { variant: name, value: null, reason: `Not compared: ${why}` };
    return [
      metric("elapsedRatio", { ...none, unit: "1" }),
      metric("addedPerRequestMs", { ...none, unit: "ms" }),
    ];
  }
  const numerators = pairs.map(({ index }) => fresh.elapsedMs[index]!);
  const denominators = pairs.map(({ other }) => kept.elapsedMs[other]!);
  const added = pairs.map(({ index }, pair) =>
    (numerators[pair]! - denominators[pair]!) / fresh.requests[index]!
  );
  const ratio = bootstrapRatio({ numerators, denominators }, { random });
  return [
    metric("elapsedRatio", { variant: name, unit: "1", ...ratio }),
    metric("addedPerRequestMs", { variant: name, unit: "ms", ...bootstrapMean(added, { random }) }),
  ];
}
