import { groupedPoints, heatmap, type HeatmapCell } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import type { RunTables } from "./mode.ts";
import type { Values } from "./params.ts";
import { armViews } from "./arm_view.ts";
import { armSides } from "./evidence.ts";
import { type GaveOut, LIMIT_SIDES, type LimitSide } from "./sides.ts";
import { curvesOf } from "./throughput_metrics.ts";
import { wallViews } from "./wall_metrics.ts";

type View = RunView<Values>;

/** Where nothing gave out. */
const NOTHING = "nothing";

/** A colour for whose limit it is: one's own, the server's, what lies between, and the machine's. */
const COLORS: Readonly<Record<LimitSide | typeof NOTHING, string>> = {
  "server": "#0072B2",
  "client ports": "#D55E00",
  "client descriptors": "#E69F00",
  "accept queue": "#009E73",
  "processor": "#882255",
  "nothing": "#DDDDDD",
};

/** The figure of the mode `throughput`, and which side gave out in any mode. */
export const wallFigures = {
  plateau: (run: View): Figure => {
    const curves = curvesOf(run.tables as unknown as RunTables);
    const flat = curves.flatMap(({ name, plateau }) =>
      plateau === null ? [] : [`${name} from ${plateau.from} on`]
    );
    return groupedPoints({
      title: "More connections bring more answers until something is busy",
      subtitle: flat.length === 0 ? "No plateau within 10 %" : `Plateau, within 10 %: ${flat.join("; ")}`,
      x: { label: "Connections", unit: "1", scale: "log" },
      y: { label: "Responses", unit: "1/s", scale: "log" },
      series: curves.map(({ name, rates }) => ({
        name,
        x: rates.map(({ connections }) => connections),
        y: rates.map(({ ratePerSecond }) => ratePerSecond),
      })).filter(({ y }) => y.every((rate) => rate > 0)),
    });
  },

  sides: (run: View): Figure => {
    const arms = armsOf(run);
    return heatmap({
      title: "Which side gave out",
      subtitle: "With the connections or requests that it cost; a processor costs none, it bounds the rate",
      xLabel: "Side",
      columns: [...LIMIT_SIDES, NOTHING].map(twoLines),
      rows: arms.map(({ name }) => name),
      outcomes: Object.entries(COLORS).map(([name, color]) => ({ name, color })),
      cells: arms.flatMap(({ name, gaveOut }) => cellsOf(name, gaveOut)),
    });
  },
};

/** What was held at a limit, and what gave out. */
interface Held {
  readonly name: string;
  readonly gaveOut: readonly GaveOut[];
}

function armsOf({ tables, values }: View): Held[] {
  const all = tables as unknown as RunTables;
  if (values.mode === "throughput") {
    // With the most connections: with fewer nothing need give out.
    return curvesOf(all).map(({ name, rates }) => ({ name, gaveOut: rates.at(-1)!.gaveOut }));
  }
  if (values.mode === "client-wall") {
    return wallViews(all).map(({ view, gaveOut }) => ({ name: view.arm.variant!, gaveOut }));
  }
  // What a time limit takes back is no sign that its server has no more to give.
  const ended = values.mode !== "slowloris";
  return armViews(all).filter(({ arm }) => arm.givenUp === null)
    .map((view) => ({ name: view.arm.variant!, gaveOut: armSides(view, { ended }) }));
}

function cellsOf(y: string, gaveOut: readonly GaveOut[]): HeatmapCell[] {
  if (gaveOut.length === 0) return [{ y, x: twoLines(NOTHING), outcome: NOTHING }];
  return gaveOut.map(({ side, count, owner }) => ({
    ...{ y, x: twoLines(side), outcome: side },
    text: count === null ? `the ${owner}'s` : count.toLocaleString("en"),
  }));
}

/** Names of two words would touch each other. */
function twoLines(name: string): string {
  return name.replace(" ", "<br>");
}
