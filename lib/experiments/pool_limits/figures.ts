import { bars, type Lane, lanes } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import { answered, leftOut } from "../_shared/variant_rows.ts";
import { FREE_ROUNDS } from "./arms.ts";
import type { Values } from "./params.ts";
import { roundsOf } from "./rounds.ts";
import { carried, type Measured, variantsOf } from "./summarize.ts";

type View = RunView<Values>;

/** The figures of `pool-limits`. */
export const figures = {
  rounds: (run: View): Figure => {
    const { concurrency, maxConnections, responseTime } = run.values;
    return lanes({
      title: `${concurrency} requests at once, and at most ${maxConnections} HTTP/1.1 connections`,
      subtitle: `Answers take ${responseTime} ms; http1 is the lab's pool, http2 is fetch, both over TLS` +
        leftOut(run.tables.requests!),
      x: { label: "Time since the first request", unit: "ms" },
      lanes: ["http1", "http2"].flatMap((variant) => measured(run, variant))
        .flatMap((variant) => lanesOf(run, variant)),
    });
  },

  queue: (run: View): Figure => {
    const { concurrency, maxConnections, responseTime } = run.values;
    const requests = run.tables.requests!;
    const [order, queuedMs, elapsedMs] = ["order", "queuedMs", "elapsedMs"]
      .map((column) => requests.numbers(column)) as [Float64Array, Float64Array, Float64Array];
    return lanes({
      title: `What waits for one of ${maxConnections} connections, and for how long`,
      subtitle: `${concurrency} requests at once, answers take ${responseTime} ms, HTTP/1.1 over TLS` +
        leftOut(requests),
      x: { label: "Time since the request was made", unit: "ms" },
      lanes: measured(run, "http1").flatMap(({ rows }) => rows).map((row) => ({
        name: `request ${order[row]! + 1}`,
        spans: [
          { from: 0, to: queuedMs[row]!, state: "queued" },
          { from: queuedMs[row]!, to: elapsedMs[row]!, state: "on a connection" },
        ],
      })),
    });
  },

  fresh: (run: View): Figure => {
    const { workers, idlePerHost } = run.values;
    return bars({
      title: "Connections opened per request, by how many may stay idle",
      subtitle: `${workers} workers in lock step, or free of one another; ` +
        `healthy keeps ${workers} idle connections, the others ${idlePerHost}; ` +
        `free: mean and 95 % interval of ${FREE_ROUNDS} rounds`,
      y: { label: "Connections opened per request", unit: "1" },
      bars: run.summary.filter(({ name }) => name === "freshShare")
        .map(({ variant, ...rest }) => ({ ...rest, name: variant! })),
    });
  },
};

/** A variant with those of its requests that were answered; none when it was not measured. */
function measured(run: View, name: string): Measured[] {
  const requests = run.tables.requests!;
  const isAnswered = answered(requests);
  return variantsOf({ waves: run.tables.waves!, requests })
    .filter(({ variant }) => variant === name)
    .map((variant) => ({ ...variant, rows: variant.rows.filter(isAnswered) }));
}

/** A lane for each connection of a variant; one without spans where it is not known what it carried. */
function lanesOf(run: View, measured: Measured): Lane[] {
  const requests = carried(measured, run.tables.requests!);
  if (typeof requests === "string" || requests.length === 0) return [{ name: measured.variant, spans: [] }];
  const rounds = roundsOf(requests);
  const startMs = requests.reduce((least, { fromMs }) => Math.min(least, fromMs), Infinity);
  const spans = requests.map(({ lane, fromMs, toMs }, place) => ({
    lane,
    from: fromMs - startMs,
    to: toMs - startMs,
    state: `round ${rounds[place]}`,
  }));
  return [...Map.groupBy(spans, ({ lane }) => lane)]
    .sort(([left], [right]) => Number(left) - Number(right))
    .map(([lane, spans]) => ({ name: `${measured.variant}, connection ${lane}`, spans }));
}
