import type {
  ClaimVerdict,
  Environment,
  ExperimentInfo,
  Manifest,
  ManifestRun,
  Metric,
  ParamJson,
  RunStatus,
  RunView,
  TableData,
  Warning,
} from "../record/mod.ts";

/** A run read back from disk. */
export class StoredRun {
  /** The folder that it was read from. */
  readonly path: string;
  /** Its descriptor. */
  readonly manifest: Manifest;
  /** The raw tables by name. */
  readonly tables: Readonly<Record<string, TableData>>;
  /** What makes the run less sure than it looks: what was recorded, then what was seen while reading. */
  readonly warnings: readonly Warning[];

  /**
   * Ties a descriptor and its tables together.
   *
   * @param path the folder that they were read from
   * @param manifest the descriptor
   * @param tables the tables by name
   * @param notes what was seen while reading
   */
  constructor(
    path: string,
    manifest: Manifest,
    tables: Readonly<Record<string, TableData>>,
    notes: readonly Warning[] = [],
  ) {
    this.path = path;
    this.manifest = manifest;
    this.tables = tables;
    this.warnings = [...manifest.connlab.warnings, ...notes];
  }

  /** `<experiment>/<run id>`. */
  get id(): string {
    return this.manifest.connlab.id;
  }

  /** The experiment as it was when the run was made. */
  get experiment(): ExperimentInfo {
    return this.manifest.connlab.experiment;
  }

  /** How it ended. */
  get status(): RunStatus {
    return this.manifest.connlab.status;
  }

  /** Why it is not complete; `null` when it is. */
  get reason(): string | null {
    return this.manifest.connlab.reason;
  }

  /** What the person called it; `null` when nothing. */
  get label(): string | null {
    return this.manifest.connlab.label;
  }

  /** The resolved parameters, in the form in which they can be given again. */
  get params(): Readonly<Record<string, ParamJson>> {
    return this.manifest.connlab.params;
  }

  /** The seed of every random choice in the run. */
  get seed(): number {
    return this.manifest.connlab.seed;
  }

  /** When it began, in ISO 8601, UTC. */
  get started(): string {
    return this.manifest.connlab.started;
  }

  /** When it ended; `null` while it has not. */
  get finished(): string | null {
    return this.manifest.connlab.finished;
  }

  /** The metrics. */
  get summary(): readonly Metric[] {
    return this.manifest.connlab.summary;
  }

  /** The verdicts. */
  get claims(): readonly ClaimVerdict[] {
    return this.manifest.connlab.claims;
  }

  /** The machine and its settings; `null` when the run ended before they were recorded. */
  get environment(): Environment | null {
    return this.manifest.connlab.environment;
  }

  /**
   * The value of a metric.
   *
   * @param metric its name
   * @param variant its arm; `null` or left out for a metric about the whole run
   * @returns the value; `null` when it was not measured
   * @throws {RangeError} the run has no such metric
   */
  value(metric: string, variant: string | null = null): number | null {
    const found = this.summary.find((one) => one.name === metric && one.variant === variant);
    if (found) return found.value;
    const label = (name: string, arm: string | null) => arm === null ? name : `${name} of ${arm}`;
    const known = this.summary.map(({ name, variant }) => label(name, variant)).join(", ");
    throw new RangeError(
      `Cannot read metric ${label(metric, variant)} of run ${this.id}: ` +
        (known === "" ? "it has no metrics" : `there are ${known}`),
    );
  }

  /**
   * The run as figures and claims see it.
   *
   * @param values the parameters as the experiment sees them: only its schema tells
   * @returns the view
   */
  view<V>(values: V): RunView<V> {
    const { id, status, params, seed, tables, summary, claims, warnings, environment } = this;
    const value: RunView["value"] = (metric, variant) => this.value(metric, variant);
    return { id, status, params, values, seed, tables, summary, claims, warnings, environment, value };
  }

  /**
   * The same rows with other findings: how a run looks before its last descriptor is written.
   *
   * @param changes what is different
   * @returns the run with these changes, which are not written
   */
  with(changes: Partial<ManifestRun>): StoredRun {
    const manifest = { ...this.manifest, connlab: { ...this.manifest.connlab, ...changes } };
    const notes = this.warnings.slice(this.manifest.connlab.warnings.length);
    return new StoredRun(this.path, manifest, this.tables, notes);
  }
}
