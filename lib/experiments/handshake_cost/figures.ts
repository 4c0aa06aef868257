import { distribution, groupedPoints, stacked, timeline } from "../../figures/mod.ts";
import type { Figure, RunView, TableData } from "../../record/mod.ts";
import { summary } from "../../stats/mod.ts";

const PHASES = {
  clientMs: "client",
  connectMs: "connect",
  sendMs: "send",
  waitMs: "wait",
  receiveMs: "receive",
} as const;

/** The figures of `handshake-cost`. */
export const figures = {
  elapsed: (run: RunView): Figure => {
    const rounds = run.tables.rounds!;
    const series = [...rowsByVariant(rounds)].map(([name, rows]) => ({
      name,
      x: pick(rounds.numbers("round"), rows),
      y: pick(rounds.numbers("elapsedMs"), rows),
    }));
    return groupedPoints({
      title: "A new connection for every request, and one that is kept",
      subtitle: `${run.params.requests} requests a round, ${subjectOf(run)}`,
      x: { label: "Round", unit: "1" },
      y: { label: "Elapsed per round", unit: "ms" },
      series,
    });
  },

  phases: (run: RunView): Figure => {
    const requests = run.tables.requests!;
    const groups = [...rowsByVariant(requests, answered(requests))];
    const parts = Object.entries(PHASES).map(([column, name]) => ({
      name,
      values: groups.map(([_, rows]) => meanPerRequest(requests.numbers(column), rows)),
    }));
    return stacked({
      title: "Where the time of a request goes",
      subtitle: `Means; fetch shows neither connect nor send, both are in its wait${leftOut(requests)}`,
      x: { label: "Mean time per request", unit: "ms" },
      groups: groups.map(([variant]) => variant),
      parts,
    });
  },

  latency: (run: RunView): Figure => {
    const requests = run.tables.requests!;
    const elapsedMs = requests.numbers("elapsedMs");
    return distribution({
      title: "How long requests take, up to the slowest",
      subtitle: `Closing not included, ${subjectOf(run)}${leftOut(requests)}`,
      y: { label: "Time per request", unit: "ms" },
      samples: [...rowsByVariant(requests, answered(requests))].map(([name, rows]) => ({
        name,
        values: pick(elapsedMs, rows),
      })),
    });
  },

  timeWait: (run: RunView): Figure => {
    const counts = run.tables.timewait!;
    const timesMs = counts.numbers("seenMs");
    return timeline({
      title: "The run's sockets in TIME_WAIT, by side",
      timeLabel: "Time since the measurement began",
      subtitle: run.params.watchTimeWait
        ? "Counted after every round, then until there are none"
        : "Counted after every round; with watchTimeWait they are followed until there are none",
      y: { label: "The run's sockets in TIME_WAIT", unit: "1" },
      series: ["client", "server"].map((name) => ({ name, timesMs, values: counts.numbers(name) })),
    });
  },
};

/** What answered the requests. */
function subjectOf(run: RunView): string {
  return run.params.target === null
    ? `server on ${run.params.stack}, over loopback`
    : "a server of one's own";
}

/** Whether each request was answered: a failure takes a time of its own. */
function answered(requests: TableData): (row: number) => boolean {
  const kinds = requests.texts("failureKind");
  return (row) => kinds[row] === null;
}

/** How many requests a figure of times leaves out. */
function leftOut(requests: TableData): string {
  const failed = requests.texts("failureKind").filter((kind) => kind !== null).length;
  return failed === 0 ? "" : `; ${failed} requests that failed are left out`;
}

/** The rows of each variant that are wanted, variants in order. */
function rowsByVariant(
  table: TableData,
  wanted: (row: number) => boolean = () => true,
): Map<string, number[]> {
  const variants = table.texts("variant");
  const rows = Map.groupBy(variants.keys().filter(wanted), (row) => variants[row]!);
  return new Map([...rows].sort(([left], [right]) => left < right ? -1 : 1));
}

function pick(values: Float64Array, rows: readonly number[]): Float64Array {
  return Float64Array.from(rows, (row) => values[row]!);
}

/** What a phase adds to a request in the mean: requests without the phase count as 0; `null` where none has it. */
function meanPerRequest(values: Float64Array, rows: readonly number[]): number | null {
  const present = pick(values, rows).filter((value) => !Number.isNaN(value));
  return present.length === 0 ? null : summary(present).mean * present.length / rows.length;
}
