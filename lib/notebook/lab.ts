import { locateExperiment } from "../experiments/mod.ts";
import {
  measureHere,
  type MeasureHereOptions,
  type Measurement,
  readParamFiles,
  startRun,
} from "../harness/mod.ts";
import { MisuseError, type TableSchema } from "../record/mod.ts";
import type { Edition } from "../render/mod.ts";
import { dataDirectory, type FileVerdict, findRun, listRuns, verifyRun } from "../store/mod.ts";
import { drain } from "./display.ts";
import { openRun } from "./open_run.ts";
import { overlayRuns } from "./overlay_runs.ts";
import { requirePlainParams } from "./plain_params.ts";
import { Run } from "./run.ts";
import { RunProgress } from "./run_progress.ts";
import { savable, type SavableFigure } from "./savable_figure.ts";
import { carryPlotly } from "./show.ts";

/** Where the runs are. */
export interface DataOptions {
  /** The folder of the runs. @default {data/ of the project} */
  data?: string;
}

/** What {@linkcode Lab.run} takes beside the parameters. */
export interface LabRunOptions extends DataOptions {
  /** The seed of every random choice. @default {drawn, and recorded} */
  seed?: number;
  /** What you call the run. */
  label?: string;
  /** Take each parameter's quick value instead of its default. @default {false} */
  quick?: boolean;
  /** Interrupts the run when it aborts: the rows so far are kept. */
  signal?: AbortSignal;
}

/** What {@linkcode Lab.probe} takes. What is left out has its default. */
export interface ProbeOptions extends LabRunOptions {
  /** How long the probe takes at most, such as `90s`, or a number of seconds. @default {"2m"} */
  budget?: string | number;
  /** Connections at once. @default {16} */
  connections?: number;
  /** The path of a file with the certificate authority that the server's certificate is checked against. */
  ca?: string;
  /** The host of a target that is not loopback, named once more. @default {none} */
  allowRemote?: string;
  /** The `Host` field of the request. @default {the URL's host} */
  hostHeader?: string;
}

/** What {@linkcode Lab.ready} takes. */
export interface ReadyOptions {
  /**
   * How much of plotly.js: `full` (2 MB) for a notebook that shows figures of its own with funnels, polar axes,
   * flows and the like, `cartesian` (0.6 MB) for all others. @default {"cartesian"}
   */
  edition?: Edition;
}

/** What {@linkcode Lab.load} takes. */
export interface LabLoadOptions extends DataOptions {
  /** The path of the experiment's file, for the figures of a run of an experiment of your own. */
  experiment?: string;
}

/** A saved run in the list of {@linkcode Lab.runs}. */
export interface SavedRun {
  /** `<experiment>/<run id>`. */
  readonly id: string;
  /** When it began. */
  readonly started: string | null;
  /** How it ended; `null` when it cannot be read. */
  readonly status: string | null;
  /** What you called it. */
  readonly label: string | null;
}

/** The laboratory, in a notebook or a program of one's own. */
export interface Lab {
  /**
   * Puts plotly.js into the notebook, once, so that figures are interactive without a network. Call it in
   * the first cell.
   *
   * @param options how much of it
   */
  ready(options?: ReadyOptions): Promise<void>;

  /**
   * Measures in processes of its own, with a progress bar, and saves the raw numbers to `data/`.
   *
   * @param experiment an id, or the path or URL of a file with an experiment as its default export
   * @param params its parameters; what is left out has its default
   * @param options seed, label, quick
   * @returns the run
   * @throws {MisuseError} there is no such experiment or parameter, or a value is not accepted
   * @throws {CannotRunHereError} this machine cannot carry it out
   * @throws {Error} the measurement failed; what was measured is kept
   */
  run(experiment: string, params?: Readonly<Record<string, unknown>>, options?: LabRunOptions): Promise<Run>;

  /**
   * Probes how long a server keeps an idle connection, with one request a connection, and says what was found
   * and which setting of a client is safe: `lab.run("idle-limit", { target })` with its verdict in words.
   *
   * @param target the URL that every connection requests once
   * @param options budget, connections, rights; seed, label, quick
   * @returns the run
   * @throws {MisuseError} there is no target, it is not loopback and was not named in `allowRemote`, or a value is
   * not accepted
   * @throws {CannotRunHereError} this machine cannot carry it out
   * @throws {Error} the server does not answer; what was seen is kept
   */
  probe(target: string, options?: ProbeOptions): Promise<Run>;

  /**
   * Loads a saved run and holds its files against their hashes.
   *
   * @param id its id, or `latest`, or `<experiment>/latest`
   * @param options where it lies, and the file of its experiment
   * @returns the run
   * @throws {MisuseError} there is no such run
   * @throws {Error} a file is missing or was changed
   */
  load(id: string, options?: LabLoadOptions): Promise<Run>;

  /**
   * The saved runs, the newest last.
   *
   * @param experiment the id of an experiment, for its runs alone
   * @param options where they lie
   * @returns one entry a run
   */
  runs(experiment?: string, options?: DataOptions): Promise<SavedRun[]>;

  /**
   * Measures in this cell, for a quick look, and saves the rows as a run of one table, `rows`, that says
   * `measured in the kernel`.
   *
   * @param options the columns, and what you call it
   * @param measurement measures, and calls `emit` with each row
   * @returns the run
   */
  measure<S extends TableSchema>(
    options: MeasureHereOptions<S> & DataOptions,
    measurement: Measurement<S>,
  ): Promise<Run>;

  /**
   * The same figure of several runs in one. Its subtitle says which parameters differ.
   *
   * @param runs the runs, 2 to 5 of one version of one experiment
   * @param figure the figure's name
   * @returns the figure
   * @throws {RangeError} they are not such runs, or the figure cannot be drawn or overlaid
   */
  overlay(runs: readonly Run[], figure: string): SavableFigure;
}

/** What a file may be found to be without a doubt about the run's rows. */
const TOLERATED: ReadonlySet<FileVerdict> = new Set(["ok", "extra", "unverifiable"]);

/** See {@linkcode Lab}. */
export const lab: Lab = {
  ready: ({ edition = "cartesian" } = {}) => carryPlotly(edition),

  async run(name, params = {}, options = {}) {
    const { seed = null, label = null, quick = false, data, signal } = options;
    const experiment = locateExperiment(name, Deno.cwd());
    const progress = new RunProgress();
    const request = {
      experiment,
      params: await readParamFiles(experiment, requirePlainParams(params), { folder: Deno.cwd() }),
      quick,
      seed,
      label,
      dataDirectory: dataDirectory(data),
      dryRun: false,
    };
    const ended = await startRun(request, {
      ...(signal ? { signal } : {}),
      onEvent: (event) => progress.take(event),
    });
    await drain();
    if (ended.status !== "complete") {
      throw new Error(
        `Run ${ended.id} is ${ended.status}: ${ended.reason}. What was measured is kept: lab.load("${ended.id}")`,
      );
    }
    return await openRun(ended.path, experiment);
  },

  async probe(target, options = {}) {
    // Without one, the experiment probes the lab's own server: a slip in a cell would get its limit for an answer.
    if (typeof target !== "string") {
      throw new MisuseError(
        `Cannot probe without a target: write lab.probe("http://HOST:PORT/"), or lab.run("idle-limit") for the ` +
          "lab's own server",
      );
    }
    const { budget, connections, ca, allowRemote, hostHeader, ...runOptions } = options;
    const params = { target, budget, connections, ca, allowRemote, hostHeader };
    const run = await lab.run("idle-limit", params, runOptions);
    const { describeVerdict } = await import("../experiments/idle_limit/mod.ts");
    console.log(describeVerdict(run));
    await drain();
    return run;
  },

  async load(id, { experiment, data } = {}) {
    const path = await findRun(dataDirectory(data), id);
    const { verdict, files } = await verifyRun(path);
    if (verdict === "differs") {
      const problems = files.filter(({ verdict }) => !TOLERATED.has(verdict)).map(({ message }) => message);
      throw new Error(
        `Cannot load run ${id} as its files are not as they were written: ${problems.join("; ")}`,
      );
    }
    return await openRun(
      path,
      experiment === undefined ? null : locateExperiment(experiment, Deno.cwd()),
    );
  },

  async runs(experiment, { data } = {}) {
    const entries = await listRuns(dataDirectory(data), experiment);
    return entries.map(({ id, started, manifest }) => ({
      id,
      started,
      status: manifest?.connlab.status ?? null,
      label: manifest?.connlab.label ?? null,
    }));
  },

  async measure(options, measurement) {
    return await openRun(await measureHere(dataDirectory(options.data), options, measurement));
  },

  overlay: (runs, figure) => savable(overlayRuns(runs, figure)),
};
