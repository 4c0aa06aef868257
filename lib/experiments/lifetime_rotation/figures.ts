import { bars, groupedPoints, timeline } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import { secondsText } from "../_shared/time_text.ts";
import { changesOf, rowsOf, timesOf } from "./changes.ts";
import { includes, type Part, type Values } from "./params.ts";
import { PEAK_WINDOW_MS, reconnectTimes, slide } from "./reconnects.ts";
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
    return timeline({
      title: "Which requests still go to the old address when a name has moved",
      subtitle:
        `${clients} connections a pool, idle but for a request every ${
          secondsText(interval)
        } or always busy; ` +
        `lifetime none or ${secondsText(lifetime)}${hastened(speed)}`,
      timeLabel: "Time since the first request",
      y: { label: `Requests to the old address, in ${secondsText(interval)}`, unit: "1" },
      series: MOVING_VARIANTS.map((name) => ({ name, ...toOldAddress(run, name, sinceFirst) })),
      marks: [{ atMs: sinceFirst(move.movedMs as number), text: "the name moves" }],
    });
  },

  cost: (run: View): Figure => {
    requirePart(run, "sweep", "What a lifetime adds to a request");
    const added = run.summary.filter(({ name }) => name === "addedPerRequestMs");
    return bars({
      title: "What a lifetime adds to a request",
      subtitle: "How much longer requests with a reconnect take than the others, spread over all of them; " +
        "one request after another over loopback, 95 % intervals over rounds",
      y: { label: "Added per request", unit: "ms" },
      bars: added.map(({ variant, ...rest }) => ({ ...rest, name: variant! })),
    });
  },

  burst: (run: View): Figure => {
    requirePart(run, "sweep", "Connections that reconnect together");
    const { connections, lifetime, speed } = run.values;
    return timeline({
      title: "Connections that are opened together, and how many of them reconnect together",
      subtitle:
        `${connections} connections with a lifetime of ${
          secondsText(lifetime)
        }, each shortened at random by up to ` +
        `the jitter${hastened(speed)}`,
      timeLabel: "Time since they were opened",
      y: { label: `Reconnects in the last ${PEAK_WINDOW_MS} ms`, unit: "1" },
      series: jitters(run.values).map((jitter) => {
        const times = reconnectTimes(run.tables.reconnects!, jitter).timesMs.map((ms) => ms * speed);
        const { timesMs, counts } = slide(times, PEAK_WINDOW_MS);
        return { name: `jitter=${jitter}`, timesMs: [0, ...timesMs], values: [0, ...counts] };
      }),
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

/** How many requests to the old address came in each interval: by when they were due, as none is due within one. */
function toOldAddress(
  { tables, values }: View,
  variant: string,
  sinceFirst: (ms: number) => number,
): { readonly timesMs: number[]; readonly values: number[] } {
  const requests = tables.requests!;
  const [startMs, dueMs] = [requests.numbers("startMs"), requests.numbers("dueMs")];
  const addresses = requests.texts("address");
  const from = tables.moves!.texts("from")[0];
  const endMs = sinceFirst(tables.moves!.numbers("endedMs")[0]!);
  // The last interval is not whole.
  const counts = new Array<number>(Math.max(1, Math.floor(endMs / values.interval))).fill(0);
  for (const row of rowsOf(requests, variant)) {
    const isDue = !Number.isNaN(dueMs[row]);
    const intervals = sinceFirst(isDue ? dueMs[row]! : startMs[row]!) / values.interval;
    const place = isDue ? Math.round(intervals) : Math.max(0, Math.floor(intervals));
    if (addresses[row] === from && place < counts.length) counts[place]!++;
  }
  return {
    timesMs: [...counts.keys(), counts.length].map((place) => place * values.interval),
    values: [...counts, counts.at(-1)!],
  };
}

function requirePart({ values }: View, part: Part, title: string): void {
  if (includes(values, part)) return;
  throw new RangeError(`Cannot draw "${title}" as it was not measured: run with --part ${part}, or all`);
}

function hastened(speed: number): string {
  return speed === 1 ? "" : `; measured ${speed} times as fast`;
}
