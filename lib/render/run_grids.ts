import type { ClaimVerdict, Metric, RunView, Warning } from "../record/mod.ts";
import type { Grid } from "./grid.ts";
import { numberText } from "./number_text.ts";

const NOT_MEASURED = "–";

/**
 * What a run came to, as tables: its metrics, a table for each set of variants; its claims; its
 * warnings.
 *
 * @param run what was found in the run
 * @returns the tables that have something to show
 */
export function runGrids(run: Pick<RunView, "summary" | "claims" | "warnings">): Grid[] {
  return [...metricGrids(run.summary), ...claimGrid(run.claims), ...warningGrid(run.warnings)];
}

/** So many metrics of one variant are read from top to bottom: as columns they are wider than a page. */
const MANY_METRICS = 12;

/**
 * Metrics with the same variants share a table: a row a variant, a column a metric, or where there are many of one
 * variant, a row a metric.
 */
function metricGrids(summary: readonly Metric[]): Grid[] {
  const byName = Map.groupBy(summary, ({ name }) => name);
  const variantsOf = (name: string) => byName.get(name)!.map(({ variant }) => variant ?? "");
  const groups = Map.groupBy(byName.keys(), (name) => variantsOf(name).join("\n"));
  return [...groups.values()].map((names) => {
    const variants = variantsOf(names[0]!);
    const cell = (name: string, index: number) => metricText(byName.get(name)![index]!);
    const notes = reasonNotes(names.flatMap((name) => byName.get(name)!));
    const [only] = variants;
    if (variants.length === 1 && names.length >= MANY_METRICS) {
      return {
        caption: only ? `Metrics of ${only}` : "Metrics",
        head: ["metric", only || "run"],
        rows: names.map((name) => [name, cell(name, 0)]),
        numeric: [1],
        notes,
      };
    }
    return {
      caption: names.join(", "),
      head: ["variant", ...names],
      rows: variants.map((variant, index) => [variant || "run", ...names.map((name) => cell(name, index))]),
      numeric: names.map((_, index) => index + 1),
      notes,
    };
  });
}

/**
 * Why there are metrics without a value: what has one reason in common stands in one note.
 *
 * @param metrics the metrics
 * @returns the notes; none for metrics that all have values
 */
export function reasonNotes(metrics: readonly Metric[]): string[] {
  const missing = metrics.filter(({ reason }) => reason !== null);
  const named = [...Map.groupBy(missing, ({ name, reason }) => `${name}: ${reason}`).values()].map((same) => {
    const variants = same.flatMap(({ variant }) => variant ?? []).join(", ");
    return { name: same[0]!.name, about: `${variants && ` ${variants}`}: ${same[0]!.reason}` };
  });
  return [...Map.groupBy(named, ({ about }) => about)]
    .map(([about, alike]) => `${alike.map(({ name }) => name).join(", ")}${about}`);
}

function metricText({ value, low, high, unit }: Metric): string {
  const range = low !== null && high !== null && low !== high
    ? ` (${numberText(low)} to ${numberText(high)})`
    : "";
  return `${value === null ? NOT_MEASURED : numberText(value, unit)}${range}`;
}

/** The reason of a claim that is for another run than this one to judge. */
const ELSEWHERE = /^Measured by (--mode \S+)$/;

/** What other modes judge is told in one note: it says nothing of this run. */
function claimGrid(claims: readonly ClaimVerdict[]): Grid[] {
  if (claims.length === 0) return [];
  const modeOf = ({ verdict, reason }: ClaimVerdict) =>
    verdict === "not measured" ? ELSEWHERE.exec(reason ?? "")?.[1] : undefined;
  const elsewhere = claims.filter((claim) => modeOf(claim) !== undefined);
  const judged = claims.filter((claim) => modeOf(claim) === undefined);
  const parts = [...Map.groupBy(elsewhere, modeOf)]
    .map(([mode, claims]) => `${claims.map(({ id }) => id).join(", ")} (${mode})`);
  const rows = judged.map(({ id, verdict, stated, measured, unit, reason }) => [
    id,
    verdict,
    stated,
    measured === null ? NOT_MEASURED : numberText(measured, unit ?? "1"),
    reason ?? "",
  ]);
  return [{
    caption: "Claims",
    head: ["claim", "verdict", "stated", "measured", "reason"],
    rows,
    numeric: [3],
    notes: parts.length === 0 ? [] : [`Other modes judge ${parts.join(", ")}`],
  }];
}

function warningGrid(warnings: readonly Warning[]): Grid[] {
  if (warnings.length === 0) return [];
  const rows = warnings.map(({ code, message, remedy }) => [code, message, remedy]);
  return [{
    caption: "Warnings",
    head: ["warning", "what was seen", "what to do"],
    rows,
    numeric: [],
    notes: [],
  }];
}
