import { groupedPoints, stacked, timeline, type TimeSeries } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import type { Values } from "./params.ts";
import { PATHS } from "./variants.ts";
import { cellsLoaded, type Data, failuresOf, loadedOf, shortagesOf, sumOf } from "./views.ts";

type View = RunView<Values>;

/** The figures of `proxy-pooling`. */
export const figures = {
  throughput: (run: View): Figure => {
    const cells = cellsLoaded(dataOf(run));
    return groupedPoints({
      title: "What a pool of connections is worth to a proxy",
      subtitle:
        "Successful responses per second, means over rounds; client, proxy and backend on one machine",
      x: { label: "Clients", unit: "1", scale: "log" },
      y: { label: "Successful responses", unit: "1/s", scale: "log" },
      series: PATHS.map((path) => {
        const own = cells.filter((cell) => cell.path === path);
        return {
          name: path,
          x: own.map(({ clients }) => clients),
          // A rate of 0 has no place on a logarithmic axis.
          y: own.map(({ rates }) => meanOf([...rates.values()]) || NaN),
        };
      }),
    });
  },

  failures: (run: View): Figure => {
    const tables = dataOf(run);
    const outcomes = outcomesOf(tables);
    const kinds = [...new Set(outcomes.flatMap(({ failed }) => [...failed.keys()]))].sort();
    const shareOf = (count: number, ended: number) => count === 0 || ended === 0 ? null : count / ended;
    return stacked({
      title: "What requests come to, and whose limit each failure is",
      subtitle: shortageText(run),
      x: { label: "Share of requests", unit: "1" },
      groups: outcomes.map(({ variant }) => variant),
      parts: [
        { name: "answered", values: outcomes.map(({ answered, ended }) => shareOf(answered, ended)) },
        ...kinds.map((name) => ({
          name,
          values: outcomes.map(({ failed, ended }) => shareOf(failed.get(name) ?? 0, ended)),
        })),
      ],
    });
  },

  sockets: (run: View): Figure =>
    timeline({
      title: "Each request without a pool leaves a socket in TIME_WAIT",
      subtitle: `Sockets at the end that opened them, while ports run short; ${shortageText(run)}`,
      timeLabel: "Time since the load began",
      y: { label: "Sockets", unit: "1" },
      series: shortagesOf(dataOf(run)).flatMap(({ loaded: { variant, path } }) =>
        seriesOf(dataOf(run), variant).map((series) => ({ ...series, name: `${path}: ${series.name}` }))
      ),
    }),
};

const dataOf = ({ tables }: View) => tables as unknown as Data;

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What the requests of a variant came to. */
interface Outcomes {
  readonly variant: string;
  readonly ended: number;
  readonly answered: number;
  /** How many failed, by kind and side. */
  readonly failed: ReadonlyMap<string, number>;
}

/** Every variant whose ports or connections were to give out, and every other in which something failed. */
function outcomesOf(tables: Data): Outcomes[] {
  const loaded = loadedOf(tables).map(({ variant, ended, answered }) => ({ variant, ended, answered }));
  const paused = [...Map.groupBy(tables.pauses.rows(), ({ variant }) => variant as string)]
    .map(([variant, rows]) => ({
      variant,
      ended: sumOf(rows, "requests"),
      answered: sumOf(rows, "answered"),
    }));
  return [...loaded, ...paused].map((one) => {
    const failed = new Map<string, number>();
    for (const { kind, side, seenBy, count } of failuresOf(tables, one.variant)) {
      const name = seenBy === "client" ? `${kind} (${side})` : `${kind} (${side}, at the proxy)`;
      failed.set(name, (failed.get(name) ?? 0) + count);
    }
    return { ...one, failed };
  }).filter(({ variant, failed }) => failed.size > 0 || /^(shortage|stale)\//.test(variant));
}

/** The sockets of a variant over time, by hop and state, but for states that are never seen. */
function seriesOf({ sockets }: Data, variant: string): TimeSeries[] {
  const rows = [...sockets.rows()].filter((row) => row.variant === variant);
  const timesMs = [...new Set(rows.map(({ loadedMs }) => loadedMs as number))];
  const near = rows.filter(({ end }) => end === "near");
  return [...Map.groupBy(near, ({ hop, state }) => `${hop} ${state}`)].map(([name, own]) => {
    const counts = Map.groupBy(own, ({ loadedMs }) => loadedMs as number);
    return { name, timesMs, values: timesMs.map((timeMs) => sumOf(counts.get(timeMs) ?? [], "count")) };
  });
}

function shortageText(run: View): string {
  const [first] = shortagesOf(dataOf(run));
  if (first === undefined) return "no shortage was measured";
  const { ports, ratePerSecond, durationMs } = first;
  return `shortage: ${ports} ports, ${Math.round(ratePerSecond)} requests per second for ${
    durationMs / 1000
  } s`;
}
