import type { ClaimVerdict } from "./claim.ts";
import type { Environment } from "./environment.ts";
import type { Metric } from "./metric.ts";
import type { ParamJson } from "./param.ts";
import type { RunStatus } from "./run.ts";
import type { ColumnType } from "./table.ts";
import type { Unit } from "./units.ts";
import type { Warning } from "./warning.ts";

/** The format that this version writes. An older one is read; a newer one is refused with a message. */
export const FORMAT_VERSION = 1;

/** A column as the descriptor carries it: a Table Schema field with its unit. */
export interface ManifestField {
  /** The name of the column. */
  readonly name: string;
  /** Its type. */
  readonly type: ColumnType;
  /** Its unit; left out for text and flags. */
  readonly unit?: Unit;
  /** What a cell says. */
  readonly description: string;
}

/** A table of a run as the descriptor carries it: a Tabular Data Resource, a CSV file. */
export interface TableResource {
  /** The name of the table. */
  readonly name: string;
  /** The file, beside the descriptor. */
  readonly path: string;
  /** Always `table`. */
  readonly type: "table";
  /** Always `csv`. */
  readonly format: "csv";
  /** Always `text/csv`. */
  readonly mediatype: "text/csv";
  /** Always `utf-8`. */
  readonly encoding: "utf-8";
  /** Size of the file; left out while the run is not finished. */
  readonly bytes?: number;
  /** `sha256:` and the hash in hexadecimal; left out while the run is not finished. */
  readonly hash?: string;
  /** How many rows the file has; left out while the run is not finished. */
  readonly rows?: number;
  /** Its columns. */
  readonly schema: {
    /** The columns, in order. */
    readonly fields: readonly ManifestField[];
    /** What stands for no value. */
    readonly missingValues: readonly string[];
  };
}

/** Any other file of a run as the descriptor carries it: captured packets, histograms. A Data Resource. */
export interface FileResource {
  /** What it is, such as `capture`. */
  readonly name: string;
  /** The file, beside the descriptor. */
  readonly path: string;
  /** Left out: it is no table. */
  readonly type?: undefined;
  /** The media type of the file, such as `application/x-pcapng`. */
  readonly mediatype: string;
  /** Size of the file; left out while the run is not finished. */
  readonly bytes?: number;
  /** `sha256:` and the hash in hexadecimal; left out while the run is not finished. */
  readonly hash?: string;
}

/** A file of a run as the descriptor carries it. */
export type ManifestResource = TableResource | FileResource;

/** An experiment as its runs name it. */
export interface ExperimentInfo {
  /** Its id. */
  readonly id: string;
  /** Its version. */
  readonly version: number;
  /** A few words. */
  readonly title: string;
  /** Its question. */
  readonly question: string;
  /** `lab` for one of ours, `file` for a person's own, `cell` when it was measured in a notebook's kernel. */
  readonly origin: "lab" | "file" | "cell";
}

/** What connlab adds to the descriptor. */
export interface ManifestRun {
  /** See {@linkcode FORMAT_VERSION}. */
  readonly formatVersion: number;
  /** `<experiment>/<run id>`, whatever its folder is called by now. */
  readonly id: string;
  /** The experiment. */
  readonly experiment: ExperimentInfo;
  /** What the person called the run; `null` when nothing. */
  readonly label: string | null;
  /** The resolved parameters. */
  readonly params: Readonly<Record<string, ParamJson>>;
  /** The seed, recorded also when it was drawn. */
  readonly seed: number;
  /** How the run ended; `incomplete` from the first moment. */
  readonly status: RunStatus;
  /** Why it is not complete; `null` when it is. */
  readonly reason: string | null;
  /** When it began, in ISO 8601, UTC. */
  readonly started: string;
  /** When it ended; `null` while it has not. */
  readonly finished: string | null;
  /** The metrics. */
  readonly summary: readonly Metric[];
  /** The verdicts. */
  readonly claims: readonly ClaimVerdict[];
  /** What makes the run less sure than it looks. */
  readonly warnings: readonly Warning[];
  /** The machine and its settings; `null` until the measuring process has sent them. */
  readonly environment: Environment | null;
}

/**
 * The descriptor of a run, `datapackage.json`.
 *
 * Source: Data Package v2, https://datapackage.org/standard/data-package/
 */
export interface Manifest {
  /** The profile of the standard. */
  readonly $schema: "https://datapackage.org/profiles/2.0/datapackage.json";
  /** `<experiment>-<run id>`, in the standard's alphabet. */
  readonly name: string;
  /** The experiment's title. */
  readonly title: string;
  /** When the run began. */
  readonly created: string;
  /** The files. */
  readonly resources: readonly ManifestResource[];
  /** What connlab adds. */
  readonly connlab: ManifestRun;
}
