import { groupedPoints, type Series } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import type { Values } from "./params.ts";

/** What is drawn of the connections of each role and outcome. */
const SERIES: readonly (readonly [name: string, role: string, outcome: string])[] = [
  ["closed by the server", "asks first", "closed"],
  ["still open", "asks first", "open"],
  ["answered after a pause", "waits first", "answered"],
  ["no answer after a pause", "waits first", "lost"],
];

/** The figures of `idle-limit`. */
export const figures = {
  closes: (run: RunView<Values>): Figure => {
    const connections = run.tables.connections!;
    const [roles, outcomes] = [connections.texts("role"), connections.texts("outcome")];
    const [idleMs, advertisedMs] = [connections.numbers("idleMs"), connections.numbers("advertisedMs")];
    const seen = SERIES.map(([name, role, outcome]) => {
      const times = [...roles.keys()].filter((row) => roles[row] === role && outcomes[row] === outcome)
        .map((row) => idleMs[row]!).sort((left, right) => left - right);
      return { name, times };
    }).map(({ name, times }, index, all) => {
      // A place of its own for each connection: points at one place would cover each other.
      const before = all.slice(0, index).reduce((count, { times }) => count + times.length, 0);
      return { name, x: times.map((_, place) => before + place + 1), y: times };
    });
    const ends = [1, Math.max(2, ...seen.flatMap(({ x }) => x))];
    const { target, stack, serverIdle } = run.values;
    const configured = target === null && stack === "node" ? serverIdle : undefined;
    const advertised = advertisedMs.find((ms) => !Number.isNaN(ms));
    const line = (name: string, ms: number | undefined): Series[] =>
      ms === undefined ? [] : [{ name, x: ends, y: ends.map(() => ms) }];
    const figure = groupedPoints({
      title: "How long connections may be idle",
      subtitle: `${
        target ?? `The lab's own server on ${stack}, over loopback`
      }; of each kind the shortest first`,
      x: { label: "Connection", unit: "1" },
      y: { label: "Idle time", unit: "ms" },
      series: [
        ...seen.filter(({ x }) => x.length > 0),
        // Two lines at one height would be one with the name of the last.
        ...configured === advertised
          ? line("configured and advertised", advertised)
          : [...line("configured", configured), ...line("advertised", advertised)],
      ],
    });
    // Connections have no order of their own: a line between them would be a trend that there is not.
    const names = new Set(seen.map(({ name }) => name));
    const data = figure.data.map((trace) => ({
      ...trace,
      mode: names.has(trace.name as string) ? "markers" : "lines",
    }));
    return { ...figure, data };
  },
};
