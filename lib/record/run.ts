import type { ClaimVerdict } from "./claim.ts";
import type { Environment } from "./environment.ts";
import type { Metric } from "./metric.ts";
import type { ParamJson } from "./param.ts";
import type { TableData } from "./table.ts";
import type { Warning } from "./warning.ts";

/**
 * How a run ended: `complete`; `failed`, with what there is saved; `incomplete`, because it was
 * interrupted or its process died.
 */
export type RunStatus = "complete" | "incomplete" | "failed";

/**
 * A run as figures and claims see it: read back from disk, never the live measurement. `V` is what the
 * experiment sees of its parameters.
 */
export interface RunView<V = Readonly<Record<string, unknown>>> {
  /** `<experiment>/<run id>`. */
  readonly id: string;
  /** How it ended. */
  readonly status: RunStatus;
  /** The resolved parameters, in the form in which they can be given again. */
  readonly params: Readonly<Record<string, ParamJson>>;
  /** The same as the experiment sees them: a duration is a number of milliseconds. */
  readonly values: V;
  /** The seed of every random choice in the run. */
  readonly seed: number;
  /** The raw tables by name. */
  readonly tables: Readonly<Record<string, TableData>>;
  /** The metrics. */
  readonly summary: readonly Metric[];
  /** The verdicts. */
  readonly claims: readonly ClaimVerdict[];
  /** What makes the run less sure than it looks. */
  readonly warnings: readonly Warning[];
  /** The machine and its settings; `null` when the run ended before they were read. */
  readonly environment: Environment | null;
  /**
   * The value of a metric.
   *
   * @param metric its name
   * @param variant its arm; `null` or left out for a metric about the whole run
   * @returns the value; `null` when it was not measured
   * @throws {RangeError} the run has no such metric
   */
  value(metric: string, variant?: string | null): number | null;
}
