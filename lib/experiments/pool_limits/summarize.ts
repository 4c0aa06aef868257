import { type Metric, metric, type TableData, type Unit } from "../../record/mod.ts";
import { bootstrapMean, randomSource, summary } from "../../stats/mod.ts";
import { pick } from "../_shared/variant_rows.ts";
import { freeVariant } from "./arms.ts";
import type { Values } from "./params.ts";
import { type Carried, roundsOf } from "./rounds.ts";
import type { Tables } from "./tables.ts";

type RunTables = { readonly [K in keyof Tables]: TableData };

/** One variant's waves and requests. */
export interface Measured {
  /** The variant. */
  readonly variant: string;
  /** The client that made its requests. */
  readonly client: string;
  /** Its waves, in order. */
  readonly waves: readonly Wave[];
  /** The places of its requests in their table. */
  readonly rows: readonly number[];
  /** The status codes that they were answered with. */
  readonly statuses: ReadonlySet<number>;
}

/** A row of the table of waves. */
interface Wave {
  readonly variant: string;
  readonly client: string;
  readonly elapsedMs: number | null;
  readonly requests: number;
  readonly failed: number;
  readonly received: number | null;
  readonly connections: number | null;
  readonly connectionsReason: string | null;
}

/** A number, or why there is none. */
interface Found {
  readonly value: number | null;
  readonly reason: string | null;
}

/** A request over HTTP/2 that takes this many times the response time has waited where nobody sees it. */
const UNSEEN_QUEUE = 2;

/**
 * The metrics of `pool-limits`, from its raw rows. Where scheduling decides how many connections are opened, the
 * share has a 95 % percentile bootstrap interval over rounds; other counts are exact.
 *
 * @param tables the raw tables
 * @param params the parameters
 * @param seed the seed of the resampling
 * @returns the metrics, variants in the order in which they were measured
 */
export function summarize(
  tables: RunTables,
  params: Pick<Values, "responseTime" | "idlePerHost">,
  seed: number,
): Metric[] {
  const random = randomSource(seed);
  return variantsOf(tables).flatMap((measured) => {
    const { variant } = measured;
    if (variant.startsWith("http")) return roundMetrics(measured, tables.requests, params.responseTime);
    if (variant.startsWith("burst/")) return burstMetrics(measured);
    const isRepeated = variant === freeVariant(params.idlePerHost);
    return idleMetrics(measured, tables.requests, isRepeated ? random : null);
  });
}

/**
 * What was measured, variant by variant.
 *
 * @param tables the raw tables
 * @returns the variants, in the order in which they were measured
 */
export function variantsOf(tables: Pick<RunTables, "waves" | "requests">): Measured[] {
  const waves = [...tables.waves.rows()] as unknown as Wave[];
  const variants = tables.requests.texts("variant");
  const codes = tables.requests.numbers("status");
  return [...Map.groupBy(waves, ({ variant }) => variant)].map(([variant, waves]) => {
    const rows = [...variants.keys().filter((row) => variants[row] === variant)];
    const statuses = new Set(pick(codes, rows).filter((code) => !Number.isNaN(code)));
    return { variant, client: waves[0]!.client, waves, rows, statuses };
  });
}

/**
 * A variant's requests on their connections. `fetch` does not show which one carries a request: there is a
 * lane only while the server has seen no other.
 *
 * @param measured the variant
 * @param requests the table of requests
 * @returns the requests, in the order of their rows; why they are not known, when that is so
 */
export function carried({ client, waves, rows }: Measured, requests: TableData): Carried[] | string {
  const numbers = (column: string) => pick(requests.numbers(column), rows);
  const [startMs, queuedMs, elapsedMs] = ["startMs", "queuedMs", "elapsedMs"].map(numbers) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const connection = numbers("connection");
  if (client === "fetch") {
    const { connections, connectionsReason } = waves.at(-1)!;
    if (connections === null) return connectionsReason ?? "Connections were not counted";
    if (connections !== 1) {
      return `fetch does not show which of ${connections} connections carried a request`;
    }
    connection.fill(1);
  }
  return rows.map((_, index) => ({
    lane: `${connection[index]}`,
    fromMs: startMs[index]! + (Number.isNaN(queuedMs[index]) ? 0 : queuedMs[index]!),
    toMs: startMs[index]! + elapsedMs[index]!,
  }));
}

function roundMetrics(measured: Measured, requests: TableData, responseMs: number): Metric[] {
  const state = (name: string, unit: Unit, found: Found) =>
    metric(name, { variant: measured.variant, unit, ...found });
  const why = whyNoTimes(measured);
  const queuedMs = pick(requests.numbers("queuedMs"), measured.rows);
  const queued = (of: keyof ReturnType<typeof summary>): Found => {
    if (why !== null) return none(why);
    if (queuedMs.some(Number.isNaN)) return none(`${measured.client} does not show how long a request waits`);
    return some(summary(queuedMs)[of]);
  };
  return [
    ...sums(measured),
    state("rounds", "1", why === null ? rounds(measured, requests, responseMs) : none(why)),
    state("connections", "1", connectionsAfter(measured.waves.at(-1)!)),
    state("elapsedMs", "ms", why === null ? some(measured.waves[0]!.elapsedMs!) : none(why)),
    state("queuedMs", "ms", queued("mean")),
    state("queuedMaxMs", "ms", queued("max")),
  ];
}

function rounds(measured: Measured, requests: TableData, responseMs: number): Found {
  const lanes = carried(measured, requests);
  if (typeof lanes === "string") return none(lanes);
  const longestMs = lanes.reduce((most, { fromMs, toMs }) => Math.max(most, toMs - fromMs), 0);
  if (measured.client === "fetch" && longestMs >= UNSEEN_QUEUE * responseMs) {
    return none(
      `A request took ${longestMs.toFixed(0)} ms, and fetch does not show what it waited for, ` +
        "such as for the server's limit of streams",
    );
  }
  return some(Math.max(...roundsOf(lanes)));
}

function burstMetrics(measured: Measured): Metric[] {
  const { variant, waves } = measured;
  return [
    ...sums(measured),
    metric("connections", { variant, unit: "1", ...connectionsAfter(waves[0]!) }),
  ];
}

/** @param random where the waves are rounds of the same: what resamples them */
function idleMetrics(measured: Measured, requests: TableData, random: (() => number) | null): Metric[] {
  const { variant, waves, rows } = measured;
  const why = whyNoTimes(measured);
  const uses = requests.texts("reused");
  const fresh = rows.filter((row) => uses[row] === "false").length;
  const reused = rows.filter((row) => uses[row] === "true").length;
  const ports = new Set(pick(requests.numbers("clientPort"), rows).filter((port) => !Number.isNaN(port)));
  const found = (value: number): Found => why === null ? some(value) : none(why);
  return [
    ...sums(measured),
    metric("fresh", { variant, unit: "1", ...found(fresh) }),
    metric("reused", { variant, unit: "1", ...found(reused) }),
    metric("freshShare", {
      ...{ variant, unit: "1" },
      ...(why === null && random !== null && waves.length > 1
        ? bootstrapMean(freshShares(measured, requests), { random })
        : found(fresh / rows.length)),
    }),
    metric("ports", { variant, unit: "1", ...found(ports.size) }),
    metric("connections", { variant, unit: "1", ...connectionsAfter(waves.at(-1)!) }),
  ];
}

/** The share of fresh requests of each wave. */
function freshShares({ rows }: Measured, requests: TableData): number[] {
  const [waves, uses] = [requests.numbers("wave"), requests.texts("reused")];
  return [...Map.groupBy(rows, (row) => waves[row]!).values()]
    .map((rows) => rows.filter((row) => uses[row] === "false").length / rows.length);
}

/** What was sent, what the server received, and what failed. */
function sums({ variant, waves }: Measured): Metric[] {
  const sum = (count: (wave: Wave) => number) => waves.reduce((total, wave) => total + count(wave), 0);
  const received = waves.some((wave) => wave.received === null)
    ? none("The server was not asked")
    : some(sum((wave) => wave.received!));
  return [
    metric("sent", { variant, unit: "1", value: sum(({ requests }) => requests) }),
    metric("received", { variant, unit: "1", ...received }),
    metric("failed", { variant, unit: "1", value: sum(({ failed }) => failed) }),
  ];
}

function connectionsAfter({ connections, connectionsReason }: Wave): Found {
  return connections === null ? none(connectionsReason ?? "Not counted") : some(connections);
}

/** Why what was measured is not about requests that were answered; `null` when it is. */
function whyNoTimes({ waves, rows, statuses }: Measured): string | null {
  const failed = waves.reduce((total, wave) => total + wave.failed, 0);
  if (failed > 0) return `${failed} requests failed`;
  const refused = waves.find(({ elapsedMs }) => elapsedMs === null);
  if (refused) return refused.connectionsReason ?? "No request was made";
  if (rows.length === 0) return "No request was made";
  const other = [...statuses].find((status) => status !== 200);
  return other === undefined ? null : `A request was answered with status ${other}`;
}

function some(value: number): Found {
  return { value, reason: null };
}

function none(reason: string): Found {
  return { value: null, reason };
}
