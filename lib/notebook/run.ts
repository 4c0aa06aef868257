import type { Experiment } from "../experiments/mod.ts";
import { stamp } from "../figures/mod.ts";
import {
  type ClaimVerdict,
  closest,
  type Environment,
  type ExperimentInfo,
  type Metric,
  type ParamJson,
  resolveParams,
  type Row,
  type RunStatus,
  type TableData,
  type Warning,
} from "../record/mod.ts";
import type { StoredRun } from "../store/mod.ts";
import { savable, type SavableFigure } from "./savable_figure.ts";

/** A run in a notebook: what was measured, read back from disk, with its figures. */
export class Run {
  /** `<experiment>/<run id>`: give it to `lab.load` to have the run again. */
  readonly id: string;
  /** The experiment as it was when the run was made. */
  readonly experiment: ExperimentInfo;
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
  /** The experiment as it is now. */
  readonly #current: Experiment | null;
  readonly #hash: string;

  /**
   * Ties a stored run to its experiment; `lab.run` and `lab.load` make runs.
   *
   * @param stored the run as it lies on disk
   * @param current what it was a run of, as it is now; `null` when that is not at hand
   * @param hash the hash of the run's descriptor
   */
  constructor(stored: StoredRun, current: Experiment | null, hash: string) {
    this.id = stored.id;
    this.experiment = stored.experiment;
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
    this.#current = current;
    this.#hash = hash;
  }

  /** The names of the figures that can be drawn of it. */
  get figures(): string[] {
    return this.#whyNotDrawn() === null ? Object.keys(this.#current!.figures) : [];
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
   * @throws {RangeError} the run has no such figure, or nothing to draw in it; or the experiment is not at hand
   * in the version that made the run
   */
  figure(name: string): SavableFigure {
    const why = this.#whyNotDrawn();
    if (why !== null) throw new RangeError(`Cannot draw figure ${name} of run ${this.id} as ${why}`);
    const { figures, params } = this.#current!;
    const draw = Object.hasOwn(figures, name) ? figures[name] : undefined;
    if (!draw) throw unknown("figure", name, this.id, this.figures);
    const { values } = resolveParams(params, this.params);
    return savable(stamp(draw(this.#stored.view(values)), { run: this.id, hash: this.#hash }));
  }

  /** Why no figure can be drawn; `null` when they can. */
  #whyNotDrawn(): string | null {
    const { id, version, origin } = this.experiment;
    if (origin === "cell") return "a measurement in a cell has none: draw its rows in a figure of your own";
    if (!this.#current) {
      return "its experiment is not at hand: load the run with the experiment's file, " +
        "lab.load(id, { experiment: './my_experiment.ts' })";
    }
    if (this.#current.version === version) return null;
    const commit = this.environment?.source.commit ?? null;
    const where = origin === "file"
      ? `load it with the file of version ${version}`
      : `draw it with a connlab that has version ${version}${commit === null ? "" : `, such as ${commit}`}`;
    return `version ${version} of ${id} made it, and version ${this.#current.version} may mean something else ` +
      `by the same rows: ${where}`;
  }
}

function unknown(kind: string, name: string, run: string, known: readonly string[]): RangeError {
  const nearest = closest(name, known);
  const hint = nearest === null ? `it has ${known.join(", ") || "none"}` : `did you mean ${nearest}?`;
  return new RangeError(`Cannot find ${kind} ${name} in run ${run}: ${hint}`);
}
