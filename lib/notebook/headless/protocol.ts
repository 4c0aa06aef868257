import type { Refusal } from "../../harness/mod.ts";
import type { Warning } from "../../record/mod.ts";
import type { CellFailure, NotebookStatus } from "./execute.ts";
import type { GivenParameters } from "./parameters.ts";

/** A notebook to be run, and where its executed form goes. */
export interface NotebookJob {
  /** The notebook as the person named it. */
  readonly name: string;
  /** Its file; an absolute path. */
  readonly source: string;
  /** The file of its executed form; an absolute path, the source itself when it is run in place. */
  readonly target: string;
}

/** What the runner is told. */
export interface RunnerSpec extends GivenParameters {
  /** The notebooks, in order. */
  readonly jobs: readonly NotebookJob[];
  /** Whether each notebook's own quick values (`connlab.quick` in its metadata) are taken. */
  readonly quick: boolean;
  /** How long a cell may take, in milliseconds; `null` leaves it to the notebooks. */
  readonly timeoutMs: number | null;
}

/** What became of a notebook. */
export interface NotebookResult {
  /** The notebook as the person named it. */
  readonly name: string;
  /** The file of its executed form; `null` when it could not be saved. */
  readonly path: string | null;
  /** How it ended. */
  readonly status: NotebookStatus;
  /** The cell that ended it; `null` when no cell did. */
  readonly failure: CellFailure | null;
  /** Why it ended as it did, in one line; `null` when it is complete. */
  readonly reason: string | null;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** What makes its outputs less sure than they look. */
  readonly warnings: readonly Warning[];
}

/** What the runner tells. */
export type NotebookEvent =
  | Refusal
  | {
    /** A notebook is at a cell, or at its end. */
    readonly type: "cell";
    /** The notebook as the person named it. */
    readonly name: string;
    /** How many of its code cells have been run. */
    readonly done: number;
    /** How many are to be run. */
    readonly total: number;
  }
  | {
    /** A cell has changed a display in place, such as a progress bar. */
    readonly type: "live";
    /** The notebook as the person named it. */
    readonly name: string;
    /** Its plain text. */
    readonly text: string;
  }
  | {
    /** Something makes a notebook less sure than it looks. */
    readonly type: "warning";
    /** The notebook as the person named it. */
    readonly name: string;
    /** What it is. */
    readonly warning: Warning;
  }
  | {
    /** A notebook has ended, whatever way, and its executed form is saved. */
    readonly type: "saved";
    /** What became of it. */
    readonly result: NotebookResult;
  }
  | {
    /** Every notebook has ended. */
    readonly type: "done";
  };
