import type { Metric, Row } from "../record/mod.ts";
import { type Grid, gridText, numberText, printable, reasonNotes, runGrids } from "../render/mod.ts";
import type { StoredRun } from "../store/mod.ts";
import { shownPath } from "./run_text.ts";

/** The columns of the grids, each with the metric that it shows. */
const COUNTS = [
  ["sent", "sent"],
  ["answered", "answered"],
  ["of them 4xx, 5xx", "answeredWithError"],
  ["failed", "failed"],
  ["unfinished", "unfinished"],
  ["never begun", "unsent"],
  ["fresh", "fresh"],
  ["reused", "reused"],
  ["per second", "requestsPerSecond"],
] as const;

/** What the heads of the counts stand for. */
const WORDS = [
  "unfinished: begun, and on their way at the end; never begun: due, but no connection was free",
  "fresh: a connection was opened for them; reused: over one that had carried a request before",
] as const;

const NOT_MEASURED = "–";

const TIMES = ["P50", "P90", "P99", "P999", "Max"] as const;
const TIME_HEADS = ["median", "p90", "p99", "p99.9", "longest"] as const;

/**
 * A load for people: what was sent and what came of it, how long that took by both clocks, and what failed.
 *
 * @param run a run of `load`; one without a summary was not completed
 * @returns the lines
 */
export function describeLoad(run: StoredRun): string {
  const { target, stack, client, connections, rate } = run.params;
  const subject = target ?? `the lab's own server (${stack})`;
  const pace = rate === "none" ? "closed loop" : `open loop, ${rate} per second`;
  const [...warnings] = runGrids({ summary: [], claims: [], warnings: run.warnings });
  return [
    printable(`Load on ${subject}: ${client}, up to ${connections} connections, ${pace}`),
    ...(run.summary.length === 0
      ? [`The load was not completed${run.reason === null ? "" : `: ${run.reason}`}`]
      : [countGrid(run), timeGrid(run), ...failureGrids(run)].map(gridText)),
    ...warnings.map(gridText),
    printable(`${run.id}, in ${shownPath(run.path)}`),
  ].join("\n\n");
}

function countGrid({ summary }: StoredRun): Grid {
  return {
    caption: "Requests",
    head: COUNTS.map(([head]) => head),
    rows: [COUNTS.map(([, name]) => cell(summary, name))],
    numeric: COUNTS.map((_, column) => column),
    notes: [...WORDS, ...notesOn(summary, COUNTS.map(([, name]) => name))],
  };
}

/** Why some of the metrics that a grid shows have no value. */
function notesOn(summary: readonly Metric[], names: readonly string[]): string[] {
  return reasonNotes(summary.filter(({ name }) => names.includes(name)));
}

function timeGrid({ summary, params }: StoredRun): Grid {
  const kinds = params.rate === "none" ? ["service"] : ["service", "response"];
  const names = kinds.flatMap((kind) => TIMES.map((suffix) => `${kind}${suffix}Ms`));
  const from = { service: "service, from the actual start", response: "response, from the intended start" };
  return {
    caption: "Times in ms",
    head: ["", ...TIME_HEADS],
    rows: kinds.map((kind) => [
      from[kind as keyof typeof from],
      ...TIMES.map((suffix) => cell(summary, `${kind}${suffix}Ms`)),
    ]),
    numeric: TIMES.map((_, index) => index + 1),
    notes: notesOn(summary, names),
  };
}

function failureGrids({ tables }: StoredRun): Grid[] {
  const rows: Row[] = [...tables.failures!.rows()];
  if (rows.length === 0) return [];
  return [{
    caption: "Failures",
    head: ["kind", "phase", "whose", "requests"],
    rows: rows.map(({ failureKind, failurePhase, failureSide, count }) => [
      ...[`${failureKind}`, `${failurePhase}`, `${failureSide}`, numberText(count as number)],
    ]),
    numeric: [3],
    notes: [],
  }];
}

function cell(summary: readonly Metric[], name: string): string {
  const found = summary.find((metric) => metric.name === name);
  return found === undefined || found.value === null ? NOT_MEASURED : numberText(found.value);
}
