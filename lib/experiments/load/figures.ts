import { distribution, timeline, type TimeSeries } from "../../figures/mod.ts";
import { readLatencies } from "../../load/mod.ts";
import type { Figure, Row, RunView } from "../../record/mod.ts";
import { loadWords } from "./load_words.ts";
import type { Values } from "./params.ts";

const SECOND_MS = 1000;

/** The two times of a request, and what they are called. */
const TIMES = [["service", "service, from the actual start"], [
  "response",
  "response, from the intended start",
]] as const;

const TAIL = [["median", 50], ["99th percentile", 99], ["longest", 100]] as const;

/** What is counted in every second. */
const RATES = [["sent", "sent"], ["answered2xx", "answered with 2xx"], ["failed", "failed"]] as const;

type View = RunView<Values>;

/** The figures of `load`. */
export const figures = {
  latency: (run: View): Figure => {
    const seconds = secondsOf(run);
    return distribution({
      title: "How long requests take, up to the slowest",
      subtitle: loadWords(run.values),
      y: { label: "Time per request", unit: "ms" },
      samples: timesOf(run).map(([kind, name]) => {
        const { times } = readLatencies(seconds.map(({ cells }) => `${cells[kind] ?? ""}`));
        return { name, values: times.map(({ ms }) => ms), counts: times.map(({ count }) => count) };
      }),
    });
  },

  rate: (run: View): Figure => {
    const seconds = secondsOf(run);
    return timeline({
      title: "What is sent and answered, second by second",
      timeLabel: "Time since the load began",
      subtitle: loadWords(run.values),
      y: { label: "Requests", unit: "1/s" },
      series: RATES.map(([column, name]) => ({
        name,
        ...stepsOf(seconds, ({ cells, lengthMs }) => (cells[column] as number) * SECOND_MS / lengthMs),
      })),
    });
  },

  tail: (run: View): Figure => {
    const seconds = secondsOf(run);
    const series = timesOf(run).flatMap(([kind]) =>
      TAIL.map(([name, percentile]) => ({
        name: `${kind}, ${name}`,
        ...stepsOf(
          seconds,
          ({ cells }) => readLatencies([`${cells[kind] ?? ""}`]).percentileMs(percentile) ?? NaN,
        ),
      }))
    );
    // A tail is orders of magnitude away from its median; no time at all has no logarithm.
    const scale = series.some(({ values }) => Array.from(values).some((ms) => ms <= 0)) ? "linear" : "log";
    return timeline({
      title: "How long requests take, second by second",
      timeLabel: "Time since the load began",
      subtitle: loadWords(run.values),
      y: { label: "Time per request", unit: "ms", scale },
      series,
    });
  },
};

/** In a closed loop a request should begin when it does: the two times are one. */
function timesOf({ values }: View): readonly (typeof TIMES)[number][] {
  return values.rate === null ? TIMES.slice(0, 1) : TIMES;
}

/** A second of the load, or what there is of the last one. */
interface Second {
  readonly cells: Row;
  readonly startMs: number;
  readonly lengthMs: number;
}

function secondsOf({ tables }: View): Second[] {
  // A load that was killed has its whole seconds alone.
  const elapsedMs = tables.loads!.numbers("elapsedMs")[0] ?? Infinity;
  return [...tables.seconds!.rows()].flatMap((cells) => {
    const startMs = (cells.second as number) * SECOND_MS;
    const lengthMs = Math.min(SECOND_MS, elapsedMs - startMs);
    return lengthMs > 0 ? [{ cells, startMs, lengthMs }] : [];
  });
}

/** Values that hold for their second, the last one to its end. */
function stepsOf(seconds: readonly Second[], valueOf: (second: Second) => number): Omit<TimeSeries, "name"> {
  const values = seconds.map(valueOf);
  const [last] = seconds.slice(-1);
  if (last === undefined) return { timesMs: [], values: [] };
  return {
    timesMs: [...seconds.map(({ startMs }) => startMs), last.startMs + last.lengthMs],
    values: [...values, values.at(-1)!],
  };
}
