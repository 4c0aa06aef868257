import { type Metric, metric } from "../../record/mod.ts";
import { bootstrapMean, bootstrapRatio, type Estimate, randomSource } from "../../stats/mod.ts";
import { kindName } from "../_shared/kind_name.ts";
import { predictedFailedShare } from "./predicted_failed_share.ts";
import {
  cellsLoaded,
  type Data,
  failuresOf,
  type Loaded,
  type ProxyCounts,
  proxyOf,
  shortagesOf,
  sumOf,
} from "./views.ts";

/** Why a proxy has no counts. */
export const NOT_ASKED = "The run ended before the proxy was asked for its counts";

const NO_ANSWER = "No request was answered";

/**
 * The metrics of `proxy-pooling`, from its raw rows.
 *
 * @param tables the raw tables
 * @param _params the parameters
 * @param seed of the intervals
 * @returns the metrics
 */
export function summarize(tables: Data, _params: unknown, seed: number): Metric[] {
  const random = randomSource(seed);
  const cells = cellsLoaded(tables);
  return [
    ...cells.flatMap((loaded) => loadedMetrics(tables, loaded, random)),
    ...ratioMetrics(cells, random),
    ...shortageMetrics(tables, random),
    ...machineMetrics(tables, cells),
    ...pauseMetrics(tables),
    ...fiveMetrics(tables),
  ];
}

/** Rate, failures, times and connections of what was loaded. */
function loadedMetrics(tables: Data, loaded: Loaded, random: () => number): Metric[] {
  const { variant, rates, path, mostOpened } = loaded;
  const proxy = proxyOf(tables, variant);
  return [
    rates.size === 0
      ? metric("requestsPerSecond", { variant, unit: "1/s", value: null, reason: "No time passed" })
      : metric("requestsPerSecond", {
        variant,
        unit: "1/s",
        ...bootstrapMean([...rates.values()], { random }),
      }),
    failedShareMetric(variant, loaded.ended, loaded.ended - loaded.answered),
    ...kindMetrics(tables, variant),
    timeMetric("serviceP50Ms", loaded, 50),
    timeMetric("serviceP99Ms", loaded, 99),
    path === "direct"
      ? metric("backendConnections", { variant, unit: "1", value: mostOpened })
      : proxyMetric("backendConnections", variant, proxy, ({ mostOpened }) => mostOpened),
    ...(path === "direct" ? [] : [retriedMetric(variant, proxy)]),
  ];
}

/** A refusal is quick: a percentile of both would make a proxy that fails the faster one. */
function timeMetric(name: string, { variant, service, refused }: Loaded, percentile: number): Metric {
  const reason = service.count === 0
    ? NO_ANSWER
    : refused > 0
    ? `The times of ${refused} answers that are no success are among those of the others`
    : null;
  const value = reason === null ? service.percentileMs(percentile) : null;
  return metric(name, { variant, unit: "ms", value, reason });
}

function failedShareMetric(variant: string, ended: number, failed: number): Metric {
  return ended === 0
    ? metric("failedShare", { variant, unit: "1", value: null, reason: "No request came to an end" })
    : metric("failedShare", { variant, unit: "1", value: failed / ended });
}

/**
 * A count for each kind of failure, as seen by who is the client of the backend. Behind a proxy the client sees these as a
 * status; what fails on its own connection is another thing, and so is its want of ports, and has a name of its own.
 */
function kindMetrics(tables: Data, variant: string): Metric[] {
  const isDirect = variant.startsWith("direct/");
  const groups = Map.groupBy(
    failuresOf(tables, variant),
    ({ kind, side, seenBy }) =>
      kindName(kind, side) + (seenBy === "client" && !isDirect ? "BeforeProxy" : ""),
  );
  return [...groups].map(([name, own]) =>
    metric(name, { variant, unit: "1", value: own.reduce((sum, { count }) => sum + count, 0) })
  );
}

function proxyMetric(
  name: string,
  variant: string,
  proxy: ProxyCounts | null,
  count: (proxy: ProxyCounts) => number,
): Metric {
  return proxy === null
    ? metric(name, { variant, unit: "1", value: null, reason: NOT_ASKED })
    : metric(name, { variant, unit: "1", value: count(proxy) });
}

function retriedMetric(variant: string, proxy: ProxyCounts | null): Metric {
  return proxyMetric(
    "retried",
    variant,
    proxy,
    ({ retriedWrites, retriedReads }) => retriedWrites + retriedReads,
  );
}

/** What two paths come to against each other, over rounds of both. */
function ratioMetrics(cells: readonly Loaded[], random: () => number): Metric[] {
  return [...Map.groupBy(cells, ({ clients }) => clients)].flatMap(([clients, group]) => {
    const of = (path: string) => group.find((loaded) => loaded.path === path);
    return [
      ratioMetric("throughputRatio", clients, ratioOf(of("pooled"), of("naive"), random)),
      ratioMetric("pooledShareOfDirect", clients, ratioOf(of("pooled"), of("direct"), random)),
    ];
  });
}

function ratioMetric(name: string, clients: number, ratio: Estimate | string): Metric {
  const variant = `${clients}`;
  return typeof ratio === "string"
    ? metric(name, { variant, unit: "1", value: null, reason: ratio })
    : metric(name, { variant, unit: "1", ...ratio });
}

/** The ratio of the rates of two variants over the rounds of both; why there is none. */
function ratioOf(
  one: Loaded | undefined,
  other: Loaded | undefined,
  random: () => number,
): Estimate | string {
  if (one === undefined || other === undefined) {
    return "Not compared: the run ended before there was a round of both";
  }
  const rounds = [...one.rates.keys()].filter((round) => other.rates.has(round));
  if (rounds.length === 0) return "Not compared: there is no round of both";
  const denominators = rounds.map((round) => other.rates.get(round)!);
  const none = rounds.find((round) => other.rates.get(round) === 0);
  if (none !== undefined) return `Not compared: ${other.variant} answered no request in round ${none}`;
  return bootstrapRatio({ numerators: rounds.map((round) => one.rates.get(round)!), denominators }, {
    random,
  });
}

function shortageMetrics(tables: Data, random: () => number): Metric[] {
  return shortagesOf(tables).flatMap(({ loaded, successesBeforeFailure, ...shortage }) => {
    const { variant, path } = loaded;
    const count = (name: string, value: number) => metric(name, { variant, unit: "1", value });
    return [
      ...loadedMetrics(tables, loaded, random),
      ...(path === "naive" ? [count("predictedFailedShare", predictedFailedShare(shortage))] : []),
      count("usablePorts", shortage.ports),
      metric("successesBeforeFailure", {
        ...{ variant, unit: "1", value: successesBeforeFailure },
        reason: successesBeforeFailure === null ? "No request failed" : null,
      }),
    ];
  });
}

/**
 * The same for the range as the system gives it, for the rate of each proxy without a pool that could go on for as long
 * as TIME_WAIT lasts: predicted, not waited for.
 */
function machineMetrics(tables: Data, cells: readonly Loaded[]): Metric[] {
  const [known] = tables.shortages.rows();
  if (known === undefined) return [];
  const { systemPorts: ports, timeWaitMs } = known as Record<string, number>;
  return cells.filter(({ path, rates }) => path === "naive" && rates.size > 0).flatMap(
    ({ clients, rates }) => {
      const variant = `machine/${clients}`;
      const ratePerSecond = [...rates.values()].reduce((sum, rate) => sum + rate, 0) / rates.size;
      const options = { ports: ports!, timeWaitMs: timeWaitMs!, durationMs: timeWaitMs!, ratePerSecond };
      return [
        metric("predictedFailedShare", { variant, unit: "1", value: predictedFailedShare(options) }),
        ratePerSecond === 0
          ? metric("portsLastMs", { variant, unit: "ms", value: null, reason: NO_ANSWER })
          : metric("portsLastMs", { variant, unit: "ms", value: ports! / ratePerSecond * 1000 }),
      ];
    },
  );
}

function pauseMetrics(tables: Data): Metric[] {
  const variants = Map.groupBy(tables.pauses.rows(), ({ variant }) => variant as string);
  return [...variants].flatMap(([variant, rows]) => {
    const proxy = proxyOf(tables, variant);
    const count = (name: string, of: (proxy: ProxyCounts) => number) => proxyMetric(name, variant, proxy, of);
    return [
      failedShareMetric(variant, sumOf(rows, "requests"), sumOf(rows, "failed")),
      ...kindMetrics(tables, variant),
      count("backendConnections", ({ mostOpened }) => mostOpened),
      ...(["staleWrites", "staleReads", "retriedWrites", "retriedReads"] as const).map((name) =>
        count(name, (proxy) => proxy[name])
      ),
      retriedMetric(variant, proxy),
    ];
  });
}

function fiveMetrics(tables: Data): Metric[] {
  const last = [...tables.hops.rows()].at(-1);
  if (last === undefined) return [];
  const { clientConnections, backendConnections } = last as Record<string, number>;
  const variant = last.variant as string;
  return [
    metric("clientConnections", { variant, unit: "1", value: clientConnections! }),
    metric("backendConnections", { variant, unit: "1", value: backendConnections! }),
  ];
}
