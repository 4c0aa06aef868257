import { relative } from "node:path";
import type { Plan } from "../harness/mod.ts";
import {
  type ClaimVerdict,
  describePem,
  type Environment,
  isPem,
  type Metric,
  type ParamJson,
  type RunStatus,
  type Warning,
} from "../record/mod.ts";
import { durationText, gridText, printable, runGrids } from "../render/mod.ts";
import type { StoredRun } from "../store/mod.ts";
import { workingFolder } from "./working_folder.ts";

/** The most characters of a parameter that are shown to people. */
const MAX_SHOWN = 200;

/** The one JSON document that `--json` prints. */
export interface RunDocument {
  /** `<experiment>/<run id>`. */
  readonly id: string;
  /** Its folder, from where the person stands. */
  readonly path: string;
  /** How it ended. */
  readonly status: RunStatus;
  /** Why it is not complete; `null` when it is. */
  readonly reason: string | null;
  /** The resolved parameters. */
  readonly params: Readonly<Record<string, ParamJson>>;
  /** The seed. */
  readonly seed: number;
  /** The metrics. */
  readonly summary: readonly Metric[];
  /** The verdicts. */
  readonly claims: readonly ClaimVerdict[];
  /** What makes the run less sure than it looks. */
  readonly warnings: readonly Warning[];
  /** The machine and its settings; `null` when the run ended before they were read. */
  readonly environment: Environment | null;
}

/**
 * A run as `--json` prints it.
 *
 * @param run the run
 * @returns the document
 */
export function runDocument(run: StoredRun): RunDocument {
  const { id, status, reason, params, seed, summary, claims, warnings, environment } = run;
  const path = shownPath(run.path);
  return { id, path, status, reason, params, seed, summary, claims, warnings, environment };
}

/**
 * A run for people.
 *
 * @param run the run
 * @returns the lines
 */
export function describeRun(run: StoredRun): string {
  const { label, started, reason } = run.manifest.connlab;
  const called = label === null ? "" : ` (${label})`;
  const rows = Object.values(run.tables).map(({ name, length }) => `${name} ${length}`);
  return [
    printable(`${run.id} is ${run.status}${called}, started ${started}, seed ${run.seed}`),
    ...(reason === null ? [] : [`  because: ${reason.replaceAll("\n", "\n    ")}`]),
    printable(`  ${paramsText(run.params)}`),
    printable(`  rows: ${rows.join(", ")}; in ${shownPath(run.path)}`),
    ...runGrids(run).map((grid) => `\n${gridText(grid)}`),
  ].join("\n");
}

/**
 * What a run would do, for people.
 *
 * @param plan the plan
 * @returns the lines
 */
export function describePlan(plan: Plan): string {
  return [
    printable(
      `${plan.title} (${plan.experiment}): takes at most ${durationText(plan.budgetMs)}, seed ${plan.seed}`,
    ),
    printable(`  ${paramsText(plan.params)}`),
  ].join("\n");
}

/**
 * A path as the person would write it from where they stand.
 *
 * @param path the path
 * @returns the relative path, or the whole one when it lies elsewhere
 */
export function shownPath(path: string): string {
  const short = relative(workingFolder(), path);
  return short.startsWith("..") ? path : short || ".";
}

function paramsText(params: Readonly<Record<string, ParamJson>>): string {
  return Object.entries(params).map(([name, value]) => `${name} ${valueText(value)}`).join(", ");
}

/** Certificates are counted, and other long values shown by their beginning. */
function valueText(value: ParamJson): string {
  if (typeof value === "string" && isPem(value)) return describePem(value);
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
