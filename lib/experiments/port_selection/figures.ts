import { heatmap, histogram, scatter } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import { quantile, randomSource, summary } from "../../stats/mod.ts";
import { type ArmRows, armRows, connected } from "./arm_rows.ts";
import { attemptsAtUse } from "./attempts.ts";
import { walkCost } from "./fitted_walk.ts";
import { isKernelFrom, MIXED_PARITY_SINCE } from "./kernel.ts";
import { type Parity, parityOf, timesOf } from "./parity.ts";
import { predict } from "./prediction.ts";
import { STATED } from "./stated.ts";
import { STRATEGIES, type Strategy } from "./strategies.ts";

/** The strategies that are drawn connect by connect, where they were measured: the default, and the way out. */
const DRAWN = ["plain", "full-range"] as const;

/** The strategies whose times are drawn as a histogram, where they were measured: more outlines hide each other. */
const OUTLINED = ["plain", "bind-first", "full-range", "udp"] as const;

/** What the time of every connect is, options and `bind()` included where a strategy has them. */
const TIME_LABEL = "Time to a connected socket";

/** Into how many parts of equal length the connects of an arm are cut, to compare them with the model. */
const SLICES = 200;

/** The width of a part of the range in which attempts are counted, as a share. */
const PART_WIDTH = 0.02;

const EVEN_AND_ODD: readonly Parity[] = ["even", "odd"];

/** The figures of `port-selection`. */
export const figures = {
  scatter: (run: RunView): Figure =>
    scatter({
      title: "What each connect() takes while the range fills",
      subtitle: `In the order in which they were made, by the parity of the port that was found; ${
        rangeText(run)
      }`,
      x: { label: "Share of the range in use", unit: "1" },
      y: { label: TIME_LABEL, unit: "ms", scale: "log" },
      series: chosen(run, DRAWN).flatMap((arm) =>
        EVEN_AND_ODD.map((parity) => {
          const places = connected(arm).filter((place) => parityOf(arm.ports[place]!) === parity);
          return {
            name: `${arm.variant}, ${parity}`,
            x: places.map((place) => arm.uses[place]!),
            y: places.map((place) => arm.connectMs[place]!),
          };
        })
      ),
    }),

  humps: (run: RunView): Figure =>
    histogram({
      title: "How many connects take how long",
      subtitle: `A walk over the other half of the range makes a second hump; ${rangeText(run)}`,
      x: { label: TIME_LABEL, unit: "ms" },
      of: "connects",
      samples: chosen(run, OUTLINED).map((arm) => ({
        name: arm.variant,
        values: connected(arm).map((place) => arm.connectMs[place]!),
      })),
    }),

  strategies: (run: RunView): Figure => {
    const arms = strategies(run);
    const cells = arms.flatMap((arm) => [...measuredCells(arm), ...statedCells(arm)]);
    return heatmap({
      title: "Every strategy here, beside what the study states",
      subtitle:
        `Mean time to a connected socket in milliseconds, and how many of 10,000 connects failed; ${
          rangeText(run)
        }, ` +
        "stated of 56,512 ports and another machine",
      xLabel: "",
      columns: COLUMNS.flatMap((column) => [column, `${column}, stated`]),
      rows: arms.map(({ variant }) => variant),
      outcomes: [{ name: "measured", color: "#D6E8F5" }, { name: "stated", color: "#F0F0F0" }],
      cells,
    });
  },

  attempts: (run: RunView): Figure => {
    const arm = strategies(run).find(({ strategy }) => strategy === "select-test-repeat");
    const parts = arm === undefined ? [] : attemptsAtUse(arm, PART_WIDTH);
    return scatter({
      title: "Ports tried for a connection by random choice",
      subtitle: `Means over parts of 2 % of the range, beside what chance predicts; ${rangeText(run)}`,
      x: { label: "Share of the range in use", unit: "1" },
      y: { label: "Attempts per connection", unit: "1", scale: "log" },
      series: [
        {
          name: "select-test-repeat",
          x: parts.map(({ use }) => use),
          y: parts.map(({ attempts }) => attempts),
        },
        {
          name: "1 ÷ (1 − use)",
          x: parts.map(({ use }) => use),
          y: parts.map(({ expected }) => expected),
          as: "line",
        },
      ],
    });
  },

  walk: (run: RunView): Figure => {
    const arms = strategies(run).map((arm) => ({ arm, tries: modelTries(run, arm) }))
      .filter((one): one is { arm: ArmRows; tries: Float64Array } => one.tries !== null);
    const shown = arms.filter(({ arm }) => [...DRAWN, "bind-first"].some((name) => name === arm.strategy));
    const reference = shown.find(({ arm, tries }) => walkCost(arm, tries) !== null);
    const cost = reference === undefined ? null : walkCost(reference.arm, reference.tries)!;
    return scatter({
      title: "Ports that the kernel's walk tries, and what connect() takes",
      subtitle:
        "Points: medians over parts of 1/200 of the connects. Lines: what the model of the walk tries, " +
        "each at its cost" + (cost === null
          ? ""
          : `; for ${reference!.arm.variant} ${(cost.baseMs * 1000).toFixed(1)} µs and ${
            countText(cost.perTryMs * 1e6)
          } ns for each port tried`),
      x: { label: "Share of the connects made", unit: "1" },
      y: { label: TIME_LABEL, unit: "ms", scale: "log" },
      series: shown.flatMap(({ arm, tries }) => {
        const own = walkCost(arm, tries) ?? cost;
        const measured = slices(arm.connectMs);
        const model = own === null ? [] : slices(tries).map((tried) =>
          own.baseMs + tried * own.perTryMs
        );
        const x = measured.map((_, slice) => (slice + 0.5) / measured.length);
        return [
          { name: arm.variant, x, y: measured },
          { name: `${arm.variant}, model`, x, y: model, as: "line" as const, like: arm.variant },
        ];
      }),
    });
  },
};

const COLUMNS = ["even", "odd", "failed"] as const;

/** The arms that are a strategy as it was asked for, in the order of the list of strategies. */
function strategies(run: RunView): ArmRows[] {
  const arms = armRows(run.tables).filter(({ variant, strategy }) => variant === strategy);
  return STRATEGIES.flatMap((name) => arms.filter(({ strategy }) => strategy === name));
}

/** Of the strategies those that are named; the first one where none of them was measured. */
function chosen(run: RunView, names: readonly Strategy[]): ArmRows[] {
  const arms = strategies(run);
  const named = arms.filter(({ strategy }) => names.includes(strategy));
  return named.length > 0 ? named : arms.slice(0, 1);
}

function rangeText({ params: { ports, sources, family } }: RunView): string {
  return `${countText(ports as number)} ports, ${sources === 1 ? "one source" : "two sources"}, ${
    family === "ipv4" ? "IPv4" : "IPv6"
  }`;
}

function countText(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** The medians of parts of equal length. */
function slices(values: Float64Array): number[] {
  const count = Math.min(SLICES, values.length);
  return Array.from({ length: count }, (_, slice) => {
    const [from, to] = [slice, slice + 1].map((edge) => Math.round(edge * values.length / count));
    return quantile(values.subarray(from, to), 0.5);
  });
}

/** The ports that the model tries for each connect of an arm; `null` where it has no walk. */
function modelTries({ environment, seed }: RunView, arm: ArmRows): Float64Array | null {
  const mixesParities = isKernelFrom(environment?.system.kernel ?? null, MIXED_PARITY_SINCE) ?? true;
  const connects = arm.results.length;
  if (connects === 0) return null;
  return predict({ ...arm, connects }, { mixesParities, random: randomSource(seed) })?.tries ?? null;
}

function measuredCells(arm: ArmRows) {
  if (arm.results.length === 0) return [];
  const failed = arm.results.filter((result) => result !== "ok").length;
  const means = EVEN_AND_ODD.map((parity) => timesOf(arm, parity));
  const texts = [
    ...means.map((times) => times.length === 0 ? "–" : meanText(times)),
    countText(failed / arm.results.length * 10_000),
  ];
  return texts.map((text, at) => cell(COLUMNS[at]!, arm, "measured", text));
}

function meanText(times: Float64Array): string {
  return `${Number(summary(times).mean.toPrecision(3))}`;
}

function statedCells(arm: ArmRows) {
  const { evenMs = null, oddMs = null, failuresPer10000 = null } = STATED[arm.strategy] ?? {};
  return [evenMs, oddMs, failuresPer10000].flatMap((value, at) =>
    value === null ? [] : [cell(`${COLUMNS[at]}, stated`, arm, "stated", `${value}`)]
  );
}

function cell(x: string, { variant }: ArmRows, outcome: string, text: string) {
  return { x, y: variant, outcome, text };
}
