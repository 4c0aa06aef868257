import { groupedPoints, heatmap, sideBySide, timeline } from "../../figures/mod.ts";
import { FAILURES, type Figure, type RunView, type Side } from "../../record/mod.ts";
import { pick, rowsByVariant } from "../_shared/variant_rows.ts";
import { type ArmRows, armRows, type FailedTries } from "./arm_rows.ts";
import type { Values } from "./params.ts";
import { observedRate } from "./rate.ts";
import { failuresOf, NOT_WATCHED, observedConnections } from "./summarize.ts";
import { followedTimes } from "./time_wait.ts";

type View = RunView<Values>;

/** A colour for each side: what one can do something about oneself, and what not. */
const SIDE_COLORS: Readonly<Record<Side, string>> = {
  client: "#D55E00",
  server: "#0072B2",
  network: "#009E73",
  unknown: "#999999",
};

/** The figures of `port-exhaustion`. */
export const figures = {
  ceiling: (run: View): Figure => {
    const arms = armsOf(run);
    return sideBySide({
      title: "Every pair of addresses has all ports, unless bind() is first",
      subtitle: `Held open until none more could be made; ${rangeOf(arms)}`,
      x: { label: "Connections at once, to all destinations", unit: "1" },
      groups: arms.map(({ variant }) => variant),
      parts: [
        { name: "predicted", values: arms.map(({ predicted }) => predicted.connections) },
        { name: "observed", values: arms.map((arm) => numberOf(observedConnections(arm))) },
      ],
    });
  },

  rate: (run: View): Figure => {
    const arms = armsOf(run);
    const rates = arms.map((arm) => {
      const rate = observedRate(arm);
      return typeof rate === "string" ? null : rate.ratePerSecond;
    });
    const isLoopback = arms.some(({ reuse }) => reuse === 2);
    return sideBySide({
      title: "The rate that can go on: ports ÷ the time that each is held",
      subtitle: `Closed at once; ${rangeOf(arms)}` +
        (run.values.watchTimeWait ? "" : `; ${NOT_WATCHED}`) +
        (isLoopback ? "; over a network reuse 2 is no faster than 0" : ""),
      x: { label: "New connections, to all destinations", unit: "1/s", scale: "log" },
      groups: arms.map(({ variant }) => variant),
      parts: [
        { name: "predicted", values: arms.map(({ predicted }) => predicted.sustainedRatePerSecond) },
        { name: "observed", values: rates },
      ],
    });
  },

  timeWait: (run: View): Figure => {
    const counts = run.tables.timewait!;
    const seenMs = counts.numbers("seenMs");
    const rows = rowsByVariant(counts);
    const watched = armsOf(run).filter(({ variant }) => rows.has(variant));
    // Beside a minute of TIME_WAIT, what is over within a second would be a line at the edge.
    const longestMs = Math.max(...watched.map(({ predicted }) => predicted.heldMs));
    const shown = unlike(watched.filter(({ predicted }) => predicted.heldMs === longestMs));
    const series = shown.map(({ variant, closes }) => {
      const own = rows.get(variant)!;
      const timesMs = pick(seenMs, own).map((ms) => ms - seenMs[own[0]!]!);
      return { name: `${variant}, ${closes}`, timesMs, values: pick(counts.numbers(closes), own) };
    });
    return timeline({
      title: "No more sockets in TIME_WAIT than there can be connections",
      subtitle: "Tried at 1.5 times the predicted rate; of arms that are predicted alike one is drawn, " +
        "of those that hold ports for less time none" +
        (run.values.watchTimeWait ? "" : `; ${NOT_WATCHED}`),
      timeLabel: "Time since the first connection of each arm",
      y: { label: "Sockets in TIME_WAIT", unit: "1" },
      series,
    });
  },

  lifetime: (run: View): Figure => {
    const times = followedTimes(run.tables.followed!);
    const presetMs = armsOf(run)[0]?.timeWaitPresetMs ?? NaN;
    return groupedPoints({
      title: "Time in TIME_WAIT beyond what the system says",
      subtitle: `From its own close until it is gone, beyond ${presetMs / 1000} s; closed one after another`,
      x: { label: "Time of its close, since the first one (s)", unit: "1" },
      y: { label: "Time in TIME_WAIT, beyond that", unit: "ms" },
      series: (["client", "server"] as const).map((side) => {
        const own = times.filter((one) => one.side === side);
        return {
          name: `closed by the ${side}`,
          x: own.map(({ closedMs }) => (closedMs - times[0]!.closedMs) / 1000),
          y: own.map(({ atLeastMs, atMostMs }) => (atLeastMs + atMostMs) / 2 - presetMs),
        };
      }),
    });
  },

  failures: (run: View): Figure => {
    const cells = [
      ...byKinds(armsOf(run)).flatMap((arms) => cellsOf(nameOf(arms), arms.flatMap(failuresOf))),
      ...provoked(run),
    ];
    const kinds = Object.keys(FAILURES).filter((kind) => cells.some((cell) => cell.x === wordsOf(kind)));
    return heatmap({
      title: "Whose limit or fault each failure is",
      subtitle: "Failed tries by kind; below, each kind provoked once",
      xLabel: "",
      columns: kinds.map(wordsOf),
      rows: [...new Set(cells.map(({ y }) => y))],
      outcomes: (Object.keys(SIDE_COLORS) as Side[]).map((name) => ({ name, color: SIDE_COLORS[name] })),
      cells,
    });
  },
};

function armsOf({ tables }: View): ArmRows[] {
  return armRows({ arms: tables.arms!, attempts: tables.attempts! });
}

/** One arm of each kind, by what is predicted of it: others would lie on top of them. */
function unlike(arms: readonly ArmRows[]): ArmRows[] {
  const kinds = Map.groupBy(
    arms,
    ({ predicted, closes }) => `${predicted.connections} ${predicted.heldMs} ${closes}`,
  );
  return [...kinds.values()].map(([first]) => first!);
}

function rangeOf(arms: readonly ArmRows[]): string {
  const [first] = arms;
  return first === undefined ? "" : `${first.predicted.ports} ports, over loopback`;
}

function numberOf(told: number | string): number | null {
  return typeof told === "string" ? null : told;
}

/** A kind in two lines, as equal as can be. */
function wordsOf(kind: string): string {
  const gaps = [...kind.matchAll(/-/g)].map(({ index }) => index);
  const [middle] = gaps.sort((one, other) =>
    Math.abs(one - kind.length / 2) - Math.abs(other - kind.length / 2)
  );
  return [...kind].map((letter, index) => letter !== "-" ? letter : index === middle ? "<br>" : " ").join("");
}

/** Arms that failed in the same ways. */
function byKinds(arms: readonly ArmRows[]): ArmRows[][] {
  const kindsOf = (arm: ArmRows) => [...new Set(failuresOf(arm).map(({ kind }) => kind))].sort().join();
  return [...Map.groupBy(arms, kindsOf).values()];
}

function nameOf([first, ...others]: readonly ArmRows[]): string {
  return others.length === 0 ? first!.variant : `${first!.variant} and ${others.length} more arms`;
}

function cellsOf(y: string, failures: readonly FailedTries[]) {
  return [...Map.groupBy(failures, ({ kind }) => kind)].map(([kind, own]) => ({
    ...{ x: wordsOf(kind), y, outcome: own[0]!.side },
    text: own.reduce((sum, { tries }) => sum + tries, 0).toLocaleString("en"),
  }));
}

function provoked({ tables }: View) {
  return [...tables.provoked!.rows()].filter(({ failureKind }) => failureKind !== null)
    .map(({ provocation, failureKind, failureSide }) => ({
      ...{ x: wordsOf(`${failureKind}`), y: `${provocation}`, outcome: `${failureSide}`, text: "1" },
    }));
}
