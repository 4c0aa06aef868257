import { bars, heatmap, stacked } from "../../figures/mod.ts";
import type { Figure, RunView } from "../../record/mod.ts";
import { type CellRow, cellsOf } from "./cell.ts";
import { type Chain, type Hop, judgeChain } from "./chain.ts";
import { seconds } from "./chain_rows.ts";
import { describeGaps, isExample } from "./gaps.ts";
import { type Arm, armsIn, chainsIn, limitsIn } from "./grid.ts";
import { KNOWN_CHAINS } from "./known_chains.ts";
import { OUTCOMES, worstOf } from "./outcome.ts";
import type { Values } from "./params.ts";

type Run = RunView<Values>;

const MS_PER_S = 1000;

const ROLES = ["client", "middlebox", "balancer", "server"] as const;

/** The figures of `keep-alive-mismatch`. */
export const figures = {
  grid: (run: Run): Figure => {
    const cells = cellsOf(run.tables).filter(({ outcome }) => outcome !== null);
    const arms = armsIn(run.values);
    const names = new Map(arms.map((arm) => [arm.variant, rowName(arm, run.values)]));
    const pauses = [...new Set(cells.map(({ pauseMs }) => pauseMs!))].sort((one, other) => one - other);
    const groups = Map.groupBy(cells, ({ variant, pauseMs }) => `${variant} ${pauseMs}`);
    return heatmap({
      title: "What the second request of a pair met, by the pause before it",
      subtitle: `${run.params.repeats} pairs a cell; where they differ, the worst and how many met it. ` +
        serverOf(run),
      xLabel: "Pause between the two requests",
      columns: pauses.map(exactly),
      rows: arms.map(({ variant }) => names.get(variant)!),
      outcomes: OUTCOMES,
      cells: [...groups.values()].map((group) => {
        const { outcome, text } = meeting(group);
        return {
          x: exactly(group[0]!.pauseMs!),
          y: names.get(group[0]!.variant!)!,
          outcome,
          ...(text === null ? {} : { text }),
        };
      }),
    });
  },

  chain: (run: Run): Figure => limits("Idle limits along the chains of this run", chainsIn(run.values)),

  field: (_run: Run): Figure => limits("Idle limits along chains known from the field", KNOWN_CHAINS),

  cost: (run: Run): Figure => {
    const metrics = run.summary.filter(({ name }) => name === "failuresPerMillion");
    const failing = metrics.filter(({ value }) => value !== 0);
    const spared = metrics.filter(({ value }) => value === 0);
    const most = Math.max(0, ...spared.map(({ high }) => high!));
    const rest = spared.length === 0
      ? ""
      : `. None for the ${spared.length} ${failing.length === 0 ? "" : "other "}variants, ` +
        `which leaves open at most ${Math.round(most).toLocaleString("en")} (one-sided 95 % bound)`;
    const intervals = failing.length === 0 ? "" : "; 95 % bootstrap intervals";
    return bars({
      title: `Requests that would fail with ${
        isExample(run.values.gaps) ? "example" : "one's own"
      } gaps, in a million`,
      subtitle: `Gaps: ${describeGaps(run.values.gaps)}, replayed on what was measured${intervals}${rest}`,
      y: { label: "Failures per million requests", unit: "1" },
      bars: (failing.length === 0 ? spared : failing).map(({ variant, value, low, high }) => ({
        name: barName(variant!),
        ...{ value, low, high },
      })),
    });
  },
};

/** A pause to the last digit: two columns of one name would be one. */
function exactly(pauseMs: number): string {
  return `${pauseMs / 1000} s`;
}

/** What answered the requests. */
function serverOf({ params: { stack } }: Run): string {
  return stack === "node"
    ? "Limits as they are set: node:http closes a second after its own"
    : "Deno.serve closes no idle connection";
}

/** The name of a bar, one part a line. */
function barName(variant: string): string {
  const [chain, ...rest] = variant.split("/");
  return [chain, rest.slice(0, -1).join("/"), rest.at(-1)].join("<br>");
}

/** A row of the grid: the limit that comes first, then client and method. */
function rowName({ chain, client, method, clientIdleMs }: Arm, values: Values): string {
  const { serverIdle, middleboxIdle } = limitsIn(values);
  const limit = chain === "tuned"
    ? `tuned: client ${seconds(clientIdleMs)}`
    : chain === "direct"
    ? `server ${seconds(serverIdle)}`
    : `middlebox ${seconds(middleboxIdle)}`;
  return `${limit} · ${client} ${method}`;
}

/** The worst of a cell's outcomes, and how many of its pairs met it. */
function meeting(cells: readonly CellRow[]): { readonly outcome: string; readonly text: string | null } {
  const outcome = worstOf(cells.map(({ outcome }) => outcome!));
  const count = cells.filter((cell) => cell.outcome === outcome).length;
  return { outcome, text: count === cells.length ? null : `${count}/${cells.length}` };
}

/** A balancer has two limits, and that of its connections to the next hop may be the one that matters. */
function limitText({ idleMs, keepsMs }: Hop): string {
  return `<b>${seconds(idleMs)}</b>${keepsMs === undefined ? "" : `, ${seconds(keepsMs)} to the next hop`}`;
}

/** A bar a hop, with the verdict beside the name of its chain. */
function limits(title: string, chains: readonly Chain[]): Figure {
  const hops = chains.flatMap((chain) => {
    const { verdict, unsafeHop } = judgeChain(chain);
    return chain.hops.map((hop, index) => ({
      ...hop,
      label: `${index === 0 ? `<b>${chain.name}: ${verdict}</b><br>` : ""}${hop.name}${
        hop.name === unsafeHop ? " ✗" : ""
      }`,
      // A category of the same name would be the same bar.
      group: `${chain.name}, ${index}`,
    }));
  });
  const parts = ROLES.map((role) => ({
    name: role,
    values: hops.map((hop) => hop.role === role && hop.idleMs !== null ? hop.idleMs / MS_PER_S : null),
  }));
  const { data, layout } = stacked({
    title,
    subtitle:
      "A bar is an idle limit as it is set, not as it was observed; ✗ marks the one that is too short",
    x: { label: "Idle limit (s)", unit: "1" },
    groups: hops.map(({ group }) => group),
    parts,
  });
  const texts = new Map(hops.map((hop) => [hop.group, limitText(hop)]));
  return {
    data: data.map((trace) => ({ ...trace, text: hops.map(() => "") })),
    layout: {
      ...layout,
      height: 200 + 34 * hops.length,
      yaxis: {
        ...layout.yaxis as object,
        tickvals: hops.map(({ group }) => group),
        ticktext: hops.map(({ label }) => label),
      },
      annotations: (layout.annotations as readonly { readonly y: string }[]).map((note) => ({
        ...note,
        text: texts.get(note.y)!,
      })),
    },
  };
}
