import { join, resolve } from "node:path";
import {
  CannotRunHereError,
  type ExperimentInfo,
  findTablesProblem,
  FORMAT_VERSION,
  isKebabCase,
  type Manifest,
  type ManifestRun,
  type RunStatus,
  type TableSchema,
  type Warning,
} from "../record/mod.ts";
import { resourceOf } from "./_manifest_fields.ts";
import { TableWriter } from "./_table_writer.ts";
import { writeManifest } from "./manifest_file.ts";
import { makeRunFolder } from "./run_id.ts";

/** What is known of a run when it begins. */
export interface RunStart {
  /** The experiment. */
  readonly experiment: ExperimentInfo;
  /** The columns of its tables, by name. */
  readonly tables: Readonly<Record<string, TableSchema>>;
  /** The resolved parameters. */
  readonly params: ManifestRun["params"];
  /** The seed. */
  readonly seed: number;
  /** What the person calls the run. @default {null} */
  readonly label?: string | null;
  /** What is known already to make it less sure. @default {none} */
  readonly warnings?: readonly Warning[];
}

/** When and by what chance a run begins. */
export interface CreateRunOptions {
  /** When it begins. @default {now} */
  started?: Date;
  /** Random numbers in [0, 1), for its id. @default {Math.random} */
  random?: () => number;
}

/** What can be written of a run while it goes on. */
export type RunFindings = Partial<
  Pick<ManifestRun, "reason" | "summary" | "claims" | "warnings" | "environment">
>;

/** How a run ended, with what was found. */
export interface RunOutcome extends RunFindings {
  /** How it ended. */
  readonly status: RunStatus;
  /** When it ended. @default {now} */
  readonly finished?: Date;
}

function checkStart({ experiment, tables, label = null }: RunStart): void {
  if (!isKebabCase(experiment.id)) {
    throw new TypeError(
      `Cannot create run as the experiment's id must be in kebab case: current value is ${experiment.id}`,
    );
  }
  if (label !== null && typeof label !== "string") {
    throw new TypeError(`Cannot create run as its label must be text: current value is ${label}`);
  }
  const problem = findTablesProblem(tables);
  if (problem !== null) throw new TypeError(`Cannot create run as ${problem}`);
}

function firstManifest(id: string, start: RunStart, started: string): Manifest {
  const { experiment, tables, params, seed, label = null, warnings = [] } = start;
  return {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    name: id.replace("/", "-").toLowerCase(),
    title: experiment.title,
    created: started,
    resources: Object.entries(tables).map(([name, schema]) => resourceOf(name, schema)),
    connlab: {
      formatVersion: FORMAT_VERSION,
      id,
      experiment,
      label,
      params,
      seed,
      status: "incomplete",
      reason: "It was not finished: it still runs, its process died, or its end could not be written",
      started,
      finished: null,
      summary: [],
      claims: [],
      warnings,
      environment: null,
    },
  };
}

/** Writes a run: rows as they come, and its descriptor at the start, in between and at the end. */
export class RunWriter implements Disposable {
  /** `<experiment>/<run id>`. */
  readonly id: string;
  /** The folder, as an absolute path. */
  readonly path: string;
  readonly #tables = new Map<string, TableWriter>();
  #manifest: Manifest;
  #failed = false;
  #finished = false;
  #sealed = false;

  /**
   * Writes the first descriptor into the folder of a run, and makes the files of its tables.
   * {@linkcode createRun} makes the folder.
   *
   * @param path the folder, as an absolute path
   * @param manifest the descriptor
   */
  constructor(path: string, manifest: Manifest) {
    this.id = manifest.connlab.id;
    this.path = path;
    this.#manifest = manifest;
    try {
      writeManifest(path, manifest);
      for (const resource of manifest.resources) {
        if (resource.type === "table") this.#tables.set(resource.name, new TableWriter(path, resource));
      }
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Whether rows could not be written: what came before them is kept, and no more are taken. */
  get failed(): boolean {
    return this.#failed;
  }

  /**
   * Writes rows that are formatted already.
   *
   * @param table the name of the table
   * @param text the rows as whole lines of CSV, from `rowFormatter`
   * @param count how many they are
   * @throws {RangeError} the run has no such table
   * @throws {Error} they could not be written, for a full disk say; the rows that fit are kept
   */
  append(table: string, text: string, count: number): void {
    if (text !== "" && !text.endsWith("\n")) {
      throw new TypeError(`Cannot write rows to table ${table} as the last one does not end in a line feed`);
    }
    const writer = this.#tables.get(table);
    if (!writer) {
      throw new RangeError(
        `Cannot write rows to table ${table} of run ${this.id}: its tables are ${
          [...this.#tables.keys()].join(", ")
        }`,
      );
    }
    if (this.#failed || this.#finished) {
      const state = this.#failed ? "writing to it has failed before" : "it is finished";
      throw new Error(`Cannot write rows to run ${this.id} as ${state}`);
    }
    try {
      writer.append(text, count);
    } catch (error) {
      this.#failed = true;
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`Cannot write rows to table ${table} of run ${this.id}: ${message}`, { cause: error });
    }
  }

  /**
   * Writes what is known by now into the descriptor of the run, which stays incomplete.
   *
   * @param findings what is known
   */
  update(findings: RunFindings): void {
    if (this.#finished) throw new Error(`Cannot update run ${this.id} as it is finished`);
    const manifest = { ...this.#manifest, connlab: { ...this.#manifest.connlab, ...findings } };
    writeManifest(this.path, manifest);
    this.#manifest = manifest;
  }

  /**
   * Closes the tables, and makes sure that those on disk are as they were written: what is found in them
   * afterwards is what was measured.
   *
   * @throws {Error} one was removed or changed meanwhile
   */
  seal(): void {
    if (this.#sealed) return;
    this.#close();
    for (const table of this.#tables.values()) {
      const change = table.findChange();
      if (change !== null) throw new Error(`Cannot complete run ${this.id} as ${change}`);
    }
    this.#sealed = true;
  }

  /**
   * Closes the tables and writes the whole descriptor, with size, hash and number of rows of each. May be
   * called again with more findings.
   *
   * @param outcome how the run ended, with what was found
   * @returns the descriptor that was written
   * @throws {Error} the run is to be complete and is not: see {@linkcode RunWriter.seal}
   */
  finish(outcome: RunOutcome): Manifest {
    const { finished = new Date(), reason = null, ...findings } = outcome;
    if (outcome.status === "complete") this.seal();
    this.#close();
    this.#manifest = {
      ...this.#manifest,
      resources: this.#manifest.resources.map((one) => this.#tables.get(one.name)?.resource ?? one),
      connlab: { ...this.#manifest.connlab, ...findings, reason, finished: finished.toISOString() },
    };
    writeManifest(this.path, this.#manifest);
    return this.#manifest;
  }

  #close(): void {
    try {
      for (const table of this.#tables.values()) table.flush();
    } finally {
      this[Symbol.dispose]();
    }
  }

  /** Closes the files. A run that was not finished stays incomplete. */
  [Symbol.dispose](): void {
    this.#finished = true;
    for (const table of this.#tables.values()) table[Symbol.dispose]();
  }
}

/**
 * Makes the folder of a run, `<data>/<experiment>/<run id>`, with a descriptor that says `incomplete` and
 * a file for each table.
 *
 * @param dataDirectory the folder that runs are kept in; it is made when it does not exist
 * @param start what is known of the run
 * @param options when and by what chance it begins
 * @returns its writer
 * @throws {TypeError} a name would not do as a file's, a table has no columns, or the label is no text
 * @throws {CannotRunHereError} the folder cannot be written
 */
export function createRun(
  dataDirectory: string,
  start: RunStart,
  options: CreateRunOptions = {},
): RunWriter {
  checkStart(start);
  const { started = new Date(), random = Math.random } = options;
  const parent = resolve(dataDirectory, start.experiment.id);
  let path: string | null = null;
  try {
    Deno.mkdirSync(parent, { recursive: true });
    const runId = makeRunFolder(parent, started, random);
    path = join(parent, runId);
    return new RunWriter(
      path,
      firstManifest(`${start.experiment.id}/${runId}`, start, started.toISOString()),
    );
  } catch (error) {
    if (path !== null) removeQuietly(path, { recursive: true });
    // The folder of the experiment goes too, unless there are other runs in it.
    removeQuietly(parent);
    throw new CannotRunHereError(
      `Cannot write run to ${dataDirectory}: ${whyNot(error)}`,
      "Name another folder with --data, or make this one writable and see that its disk has room",
      { cause: error },
    );
  }
}

/** Of a path that takes every right, as those below /proc, Deno says that one should give it: it is refused instead. */
function whyNot(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) return "the lab has no right to write there";
  return error instanceof Error ? error.message : String(error);
}

function removeQuietly(path: string, options: Deno.RemoveOptions = {}): void {
  try {
    Deno.removeSync(path, options);
  } catch {
    // What went wrong first is what the caller has to know.
  }
}
