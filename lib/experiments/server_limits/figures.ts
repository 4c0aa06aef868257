import { scatter, type ScatterSeries, timeline, type TimeSeries } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import { secondsText } from "../_shared/time_text.ts";
import { type ArmView, armViews } from "./arm_view.ts";
import { memoryLine, memorySizes } from "./memory.ts";
import type { RunTables } from "./mode.ts";
import type { Values } from "./params.ts";
import { reclaimedAfterMs } from "./reclaimed.ts";
import type { Reading } from "./watch.ts";

/** The figures of the modes that hold connections. */
export const figures = {
  memory: (run: RunView<Values>): Figure => {
    const views = viewsOf(run);
    return scatter({
      title: "What each connection takes of a server's memory",
      subtitle: `${subjectText(views)}; resident memory of whole processes, and the line through it`,
      x: { label: "Connections held", unit: "1" },
      y: { label: "Resident memory", unit: "By" },
      series: views.flatMap(memorySeries),
    });
  },
  inFlight: (run: RunView<Values>): Figure => {
    const views = viewsOf(run);
    const several = views.length > 1;
    return timeline({
      title: "What client, kernel and server count of the same connections",
      subtitle: `${
        subjectText(views)
      }; the server counts the connection that asks it, and its request, too. Equal counts cover each other`,
      y: { label: "Connections, requests", unit: "1" },
      series: views.flatMap((view) => countSeries(view, several ? `${view.arm.variant}: ` : "")),
    });
  },
  reclaimed: (run: RunView<Values>): Figure => {
    const views = viewsOf(run).filter(({ arm }) =>
      arm.client !== "fetch" && arm.serverEnd === null && arm.givenUp === null
    );
    const limits = new Set(views.flatMap(({ arm }) => arm.headerTimeoutMs ?? arm.idleTimeoutMs ?? []));
    return timeline({
      title: "When a server takes back what does nothing",
      subtitle: `${subjectText(views)}; each connection counts from when it was open`,
      timeLabel: "Time since a connection was open",
      y: { label: "Connections taken back", unit: "1" },
      series: views.map((view) => {
        const times = reclaimedAfterMs(view);
        const endMs = Math.max(view.arm.watchedMs!, times.at(-1) ?? 0);
        return {
          name: view.arm.variant!,
          timesMs: [0, ...times, endMs],
          values: [0, ...times.map((_, place) => place + 1), times.length],
        };
      }),
      marks: [...limits].map((atMs) => ({ atMs, text: `configured: ${secondsText(atMs)}` })),
    });
  },
};

function viewsOf({ tables }: RunView<Values>): ArmView[] {
  return armViews(tables as unknown as RunTables);
}

function subjectText(views: readonly ArmView[]): string {
  const subjects = [...new Set(views.map(({ arm }) => arm.subject))].map((subject) =>
    subject === "node" ? "node:http" : subject === "deno" ? "Deno.serve" : subject
  );
  return subjects.join(", ");
}

function memorySeries(view: ArmView): ScatterSeries[] {
  const sizes = memorySizes(view);
  const line = memoryLine(sizes);
  if (line === null) return [];
  const { slope, intercept } = line;
  const x = sizes.map(({ connections }) => connections);
  const name = `server of ${view.arm.variant}`;
  return [
    { name, x, y: sizes.map(({ bytes }) => bytes) },
    {
      name: `${Math.round(slope).toLocaleString("en")} bytes for each connection`,
      ...{ x, y: x.map((place) => intercept + slope * place), as: "line", like: name },
    },
  ];
}

const COUNTS = [
  ["open, says the client", "open"],
  ["open, says the kernel", "atServer"],
  ["active, says the server", "active"],
  ["in flight, says the server", "inFlight"],
] as const satisfies readonly (readonly [string, keyof Reading])[];

/** A count over all servers of an arm, look by look. */
function countSeries({ arm, readings }: ArmView, prefix: string): TimeSeries[] {
  const servers = arm.servers!;
  const looks = Array.from(
    { length: Math.floor(readings.length / servers) },
    (_, look) => readings.slice(look * servers, (look + 1) * servers),
  );
  // Of a pool only the kernel tells.
  const counts = COUNTS.filter(([, column]) => arm.client !== "fetch" || column === "atServer");
  return counts.flatMap(([name, column]) => {
    const known = looks.filter((look) => look.every((reading) => reading[column] !== null));
    if (known.length === 0) return [];
    // What the client says is of all servers together.
    const countOf = (look: readonly Reading[]) =>
      column === "open" ? look[0]![column]! : look.reduce((sum, reading) => sum + reading[column]!, 0);
    return [{
      name: `${prefix}${name}`,
      timesMs: known.map((look) => look[0]!.seenMs!),
      values: known.map(countOf),
    }];
  });
}
