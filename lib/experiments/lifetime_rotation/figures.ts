import { bars, groupedPoints, timeline } from "../../figures/mod.ts";
import type { Figure, RunView, Trace } from "../../record/mod.ts";
import { secondsText } from "../_shared/time_text.ts";
import { changesOf, rowsOf, timesOf } from "./changes.ts";
import { includes, type Part, type Values } from "./params.ts";
import { watchMs } from "./plan.ts";
import { PEAK_WINDOW_MS, reconnectTimes, slide, type WindowCounts } from "./reconnects.ts";
import { jitters, MOVING_VARIANTS } from "./variants.ts";

type View = RunView<Values>;

/** The figures of `lifetime-rotation`. Times along x are the experiment's. */
export const figures = {
  timeline: (run: View): Figure => {
    requirePart(run, "rotation", "The connection that each request came over");
    const { interval, lifetime, speed } = run.values;
    const requests = run.tables.requests!;
    const rows = rowsOf(requests, "rotation");
    const [startMs, ports] = [requests.numbers("startMs"), requests.numbers("clientPort")];
    const connections = requests.numbers("connection");
    const firstMs = startMs[rows[0] ?? 0] ?? 0;
    const byConnection = Map.groupBy(
      rows.filter((row) => !Number.isNaN(connections[row])),
      (row) => connections[row]!,
    );
    return groupedPoints({
      title: `A new connection and client port at ${timesOf(changesOf(requests), run.values)}`,
      subtitle: `One request every ${secondsText(interval)}, connections are used for ${
        secondsText(lifetime)
      }${hastened(speed)}`,
      x: { label: "Time since the first request (s)", unit: "1" },
      y: { label: "Connection", unit: "1" },
      series: [...byConnection].map(([connection, rows]) => ({
        name: `${connection}: port ${ports[rows[0]!]}`,
        x: rows.map((row) => (startMs[row]! - firstMs) * speed / 1000),
        y: rows.map(() => connection),
      })),
    });
  },

  move: (run: View): Figure => {
    requirePart(run, "blue-green", "Requests to the old address");
    const { interval, lifetime, speed, clients } = run.values;
    const [move] = [...run.tables.moves!.rows()];
    if (move === undefined) {
      throw new RangeError(
        'Cannot draw "Requests to the old address" as the run ended before the name moved',
      );
    }
    const sinceFirst = clockOf(run);
    const figure = timeline({
      title: "Which requests still go to the old address when a name has moved",
      subtitle:
        `${clients} connections a pool, opened one every ${secondsText(interval)}, idle but for a request ` +
        `in that time or always busy; ` +
        `lifetime none or ${secondsText(lifetime)}${hastened(speed)}`,
      timeLabel: "Time since the first request",
      y: { label: `Requests to the old address, in ${secondsText(interval)}`, unit: "1" },
      series: MOVING_VARIANTS.map((name) => ({ name, ...toOldAddress(run, name, sinceFirst) })),
      marks: [{ atMs: sinceFirst(move.movedMs as number), text: "the name moves" }],
    });
    return { ...figure, data: figure.data.map(seeThrough) };
  },

  cost: (run: View): Figure => {
    requirePart(run, "sweep", "What a lifetime adds to a request");
    const added = run.summary.filter(({ name }) => name === "addedPerRequestMs");
    return bars({
      title: "What a lifetime adds to a request",
      subtitle: "Derived: how much longer requests with a reconnect take than the others, divided by the " +
        "number of all; one request after another over loopback, 95 % intervals over rounds",
      y: { label: "Added per request, derived", unit: "ms" },
      bars: added.map(({ variant, ...rest }) => ({ ...rest, name: variant! })),
    });
  },

  burst: (run: View): Figure => {
    requirePart(run, "sweep", "Connections that reconnect together");
    const { connections, lifetime, speed } = run.values;
    // A run that was stopped ended before.
    const endMs = run.status === "complete" ? watchMs(run.values) : null;
    return timeline({
      title: "Connections that are opened together, and how many of them reconnect together",
      subtitle:
        `${connections} connections with a lifetime of ${
          secondsText(lifetime)
        }, each shortened at random by up to ` +
        `the jitter${hastened(speed)}${peaksLeftOut(run)}`,
      timeLabel: "Time since they were opened",
      y: { label: `Reconnects in the last ${PEAK_WINDOW_MS} ms`, unit: "1" },
      series: jitters(run.values).map((jitter) => {
        const times = reconnectTimes(run.tables.reconnects!, jitter).timesMs.map((ms) => ms * speed);
        // The last look comes a little after the end.
        const lastMs = endMs === null ? null : Math.max(endMs, times.at(-1) ?? 0);
        return { name: `jitter=${jitter}`, ...untilEnd(slide(times, PEAK_WINDOW_MS), lastMs) };
      }),
      marks: endMs === null ? [] : [{ atMs: endMs, text: "the run ends" }],
    });
  },
};

/** The experiment's time since the first request of blue-green was due, from the measurement's clock. */
function clockOf({ tables, values }: View): (ms: number) => number {
  const dueMs = tables.requests!.numbers("dueMs");
  const firstMs = rowsOf(tables.requests!, MOVING_VARIANTS[0])
    .reduce((first, row) => Math.min(first, dueMs[row]!), Infinity);
  return (ms) => (ms - firstMs) * values.speed;
}

/**
 * How many requests to the old address began in each interval. The move is where one ends and the next begins;
 * the first is shorter, and the last is left out, as it is not whole.
 */
function toOldAddress(
  { tables, values: { interval } }: View,
  variant: string,
  sinceFirst: (ms: number) => number,
): { readonly timesMs: number[]; readonly values: number[] } {
  const startMs = tables.requests!.numbers("startMs");
  const addresses = tables.requests!.texts("address");
  const [move] = [...tables.moves!.rows()];
  const [movedMs, endedMs] = [move!.movedMs, move!.endedMs].map((ms) => sinceFirst(ms as number));
  const firstMs = movedMs! - Math.ceil(movedMs! / interval) * interval;
  const counts = new Array<number>(Math.max(1, Math.floor((endedMs! - firstMs) / interval))).fill(0);
  for (const row of rowsOf(tables.requests!, variant)) {
    const place = Math.max(0, Math.floor((sinceFirst(startMs[row]!) - firstMs) / interval));
    if (addresses[row] === move!.from && place < counts.length) counts[place]!++;
  }
  return {
    timesMs: [...counts.keys(), counts.length].map((place) => Math.max(0, firstMs + place * interval)),
    values: [...counts, counts.at(-1)!],
  };
}

/** Pools with and without a lifetime do the same until the name moves: dashes leave the line below to be seen. */
function seeThrough(trace: Trace): Trace {
  if (!`${trace.name}`.startsWith("lifetime/")) return trace;
  return { ...trace, line: { ...(trace.line as object), dash: "dash" } };
}

/** Counts from the beginning until the end of the run, and not until the last window would have passed. */
function untilEnd(
  { timesMs, counts }: WindowCounts,
  endMs: number | null,
): { readonly timesMs: number[]; readonly values: number[] } {
  if (endMs === null) return { timesMs: [0, ...timesMs], values: [0, ...counts] };
  const kept = timesMs.filter((ms) => ms <= endMs);
  const values = [0, ...counts.slice(0, kept.length)];
  return { timesMs: [0, ...kept, endMs], values: [...values, values.at(-1)!] };
}

/** Why the height of some lines is no number of connections that reconnect together. */
function peaksLeftOut({ summary }: View): string {
  const unknown = summary.filter(({ name, value }) => name === "peakReconnects" && value === null);
  return [...Map.groupBy(unknown, ({ reason }) => reason)]
    .map(([reason, metrics]) => `; no peak of ${metrics.map(({ variant }) => variant).join(", ")}: ${reason}`)
    .join("");
}

function requirePart({ values }: View, part: Part, title: string): void {
  if (includes(values, part)) return;
  throw new RangeError(`Cannot draw "${title}" as it was not measured: run with --part ${part}, or all`);
}

function hastened(speed: number): string {
  return speed === 1 ? "" : `; measured ${speed} times as fast`;
}
