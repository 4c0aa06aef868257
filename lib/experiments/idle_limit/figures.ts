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
      return { name, x: times.map((_, place) => place + 1), y: times };
    });
    const ends = [1, Math.max(2, ...seen.map(({ x }) => x.length))];
    const { target, stack, serverIdle } = run.values;
    const configured = target === null && stack === "node" ? serverIdle : undefined;
    const advertised = advertisedMs.find((ms) => !Number.isNaN(ms));
    const line = (name: string, ms: number | undefined): Series[] =>
      ms === undefined ? [] : [{ name, x: ends, y: ends.map(() => ms) }];
    return groupedPoints({
      title: "How long connections may be idle",
      subtitle: `${target ?? `The lab's own server on ${stack}, over loopback`}; shortest first`,
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
  },
};
