import type { Experiment } from "../experiments/mod.ts";
import { stamp } from "../figures/mod.ts";
import {
  type ClaimVerdict,
  closest,
  type Environment,
  type Metric,
  type ParamJson,
  type Row,
  type RunStatus,
  type RunView,
  type TableData,
  type Warning,
} from "../record/mod.ts";
import type { StoredRun } from "../store/mod.ts";
import { savable, type SavableFigure } from "./savable_figure.ts";

/** A run in a notebook: what was measured, read back from disk, with its figures. */
export class Run implements RunView {
  /** `<experiment>/<run id>`: give it to `lab.load` to have the run again. */
  readonly id: string;
  /** How it ended. */
  readonly status: RunStatus;
  /** The resolved parameters. */
  readonly params: Readonly<Record<string, ParamJson>>;
  /** The seed. */
  readonly seed: number;
  /** The raw tables by name. */
  readonly tables: Readonly<Record<string, TableData>>;
  /** The metrics. */
  readonly summary: readonly Metric[];
  /** What articles state, and what this run says of it. */
  readonly claims: readonly ClaimVerdict[];
  /** What makes the run less sure than it looks. */
  readonly warnings: readonly Warning[];
  /** The machine and its settings. */
  readonly environment: Environment | null;
  /** What the person called the run; `null` when nothing. */
  readonly label: string | null;
  readonly #stored: StoredRun;
  readonly #experiment: Experiment | null;
  readonly #hash: string;

  /**
   * Ties a stored run to its experiment; `lab.run` and `lab.load` make runs.
   *
   * @param stored the run as it lies on disk
   * @param experiment what it was a run of; `null` when that is not at hand
   * @param hash the hash of the run's descriptor
   */
  constructor(stored: StoredRun, experiment: Experiment | null, hash: string) {
    this.id = stored.id;
    this.status = stored.status;
    this.params = stored.params;
    this.seed = stored.seed;
    this.tables = stored.tables;
    this.summary = stored.summary;
    this.claims = stored.claims;
    this.warnings = stored.warnings;
    this.environment = stored.environment;
    this.label = stored.label;
    this.#stored = stored;
    this.#experiment = experiment;
    this.#hash = hash;
  }

  /** The names of its figures. */
  get figures(): string[] {
    return Object.keys(this.#experiment?.figures ?? {});
  }

  /**
   * The rows of a table, in the order in which they happened.
   *
   * @param table its name
   * @returns the rows; for a million of them, `run.tables` holds columns that take less room
   * @throws {RangeError} the run has no such table
   */
  rows(table: string): Row[] {
    const found = Object.hasOwn(this.tables, table) ? this.tables[table] : undefined;
    if (!found) throw unknown("table", table, this.id, Object.keys(this.tables));
    return [...found.rows()];
  }

  /**
   * The value of a metric.
   *
   * @param metric its name
   * @param variant its arm; left out for a metric about the whole run
   * @returns the value; `null` when it was not measured
   * @throws {RangeError} the run has no such metric
   */
  value(metric: string, variant: string | null = null): number | null {
    return this.#stored.value(metric, variant);
  }

  /**
   * A figure of the run.
   *
   * @param name its name, one of `run.figures`
   * @returns the figure, to be shown, changed or saved
   * @throws {RangeError} the run has no such figure, or nothing to draw in it
   */
  figure(name: string): SavableFigure {
    if (!this.#experiment) {
      throw new RangeError(
        `Cannot draw figure ${name} of run ${this.id} as its experiment is not at hand: ` +
          "load the run with the experiment's file, lab.load(id, { experiment: './my_experiment.ts' })",
      );
    }
    const draw = Object.hasOwn(this.#experiment.figures, name) ? this.#experiment.figures[name] : undefined;
    if (!draw) throw unknown("figure", name, this.id, this.figures);
    return savable(stamp(draw(this), { run: this.id, hash: this.#hash }));
  }
}

function unknown(kind: string, name: string, run: string, known: readonly string[]): RangeError {
  const nearest = closest(name, known);
  const hint = nearest === null ? `it has ${known.join(", ") || "none"}` : `did you mean ${nearest}?`;
  return new RangeError(`Cannot find ${kind} ${name} in run ${run}: ${hint}`);
}
