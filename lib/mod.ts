/**
 * connlab, a notebook laboratory for network connections: what a notebook, or an experiment of one's
 * own, may import. Nothing else is public.
 *
 * @example
 * ```ts ignore
 * import { lab, show } from "connlab";
 * const run = await lab.run("handshake-cost", { requests: 500 });
 * await show(run);
 * await show(run.figure("elapsed"));
 * ```
 *
 * @module
 */

// The laboratory in a notebook.
export {
  type DataOptions,
  type Edition,
  type Lab,
  lab,
  type LabLoadOptions,
  type LabRunOptions,
  type MeasureHereOptions,
  type Measurement,
  type ProbeOptions,
  type ReadyOptions,
  type Run,
  type SavableFigure,
  type SavedRun,
  show,
  type Showable,
} from "./notebook/mod.ts";

// An experiment of one's own: what it is …
export {
  defineExperiment,
  type Experiment,
  type ExperimentDefinition,
  type MeasureContext,
  type Needs,
  type Prepared,
  type ServerEnd,
  type ServerHandle,
  type ServerHandles,
  type ServerSpec,
  type TableSchemas,
} from "./experiments/mod.ts";

// … its parameters, tables, metrics, failures and claims …
export {
  CannotRunHereError,
  type Cell,
  choice,
  type Claim,
  claim,
  type ClaimVerdict,
  type Column,
  column,
  type ColumnBuilders,
  type ColumnType,
  command,
  type CommandLine,
  type CommandOptions,
  type ConditionKind,
  type ConditionName,
  CONDITIONS,
  duration,
  type DurationOptions,
  type Environment,
  type ExperimentInfo,
  type Fact,
  type Failure,
  failure,
  type FailureKind,
  type FailureName,
  type FailureOptions,
  FAILURES,
  type Figure,
  flag,
  integer,
  type Judgement,
  type Limit,
  list,
  type Metric,
  metric,
  type MetricOptions,
  MisuseError,
  number,
  type NumberOptions,
  type Param,
  type ParamJson,
  type ParamOptions,
  type ParamSchema,
  type ParamsOf,
  type ParseOutcome,
  pem,
  type Phase,
  RemediableError,
  type Row,
  type RowOf,
  type RunStatus,
  type RunView,
  type Side,
  type Symptom,
  type SymptomKind,
  symptoms,
  type TableData,
  type TableSchema,
  text,
  type Trace,
  type TypedColumn,
  type Unit,
  UNITS,
  url,
  type UrlOptions,
  type Verdict,
  type Warning,
} from "./record/mod.ts";

// … what it computes from them …
export {
  bootstrapMean,
  type BootstrapOptions,
  bootstrapRatio,
  type Estimate,
  type Pairs,
  quantile,
  randomSource,
  shuffle,
  type Summary,
  summary,
} from "./stats/mod.ts";

// … and its figures.
export {
  type Axis,
  type Bar,
  bars,
  type BarsOptions,
  distribution,
  type DistributionOptions,
  groupedPoints,
  type GroupedPointsOptions,
  type Heading,
  heatmap,
  type HeatmapCell,
  type HeatmapOptions,
  type Lane,
  lanes,
  type LanesOptions,
  type Outcome,
  type Part,
  type Sample,
  type Series,
  type Span,
  stacked,
  type StackedOptions,
  timeline,
  type TimelineOptions,
  type TimeSeries,
} from "./figures/mod.ts";
