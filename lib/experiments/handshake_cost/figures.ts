import { distribution, groupedPoints, stacked, timeline } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import { answered, leftOut, meanPerRequest, pick, rowsByVariant } from "../_shared/variant_rows.ts";

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
