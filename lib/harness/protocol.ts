import type { ExperimentDescription, Needs, ServerEnd, ServerHandles } from "../experiments/mod.ts";
import type { Environment, ParamJson, RunStatus, Warning } from "../record/mod.ts";
import type { SourceState } from "../system/mod.ts";
import type { Refusal } from "./refusal.ts";

/** How long a measuring process may take to notice that it is to stop, in milliseconds. */
export const STOP_GRACE_MS = 3000;

/** What is said to who sent `settle`, when everything before it has been dealt with. */
export const SETTLED = { type: "settled" } as const;

/** What the measuring process is told when a server has ended that may. */
export interface ServerEnded {
  /** Tells it from {@linkcode SETTLED}. */
  readonly type: "ended";
  /** What the server is called. */
  readonly server: string;
  /** How it ended. */
  readonly end: Omit<ServerEnd, "atMs">;
  /** When, in milliseconds since 1970. */
  readonly atMs: number;
}

/** What is to be run, as a terminal or a notebook puts it. */
export interface RunRequest {
  /** An experiment's id, or the path or URL of a file with one as its default export. */
  readonly experiment: string;
  /** Parameters by name: native values or text. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Whether the person wrote them as options, and messages name them so. @default {false} */
  readonly asOptions?: boolean;
  /** Take each parameter's quick value instead of its default. */
  readonly quick: boolean;
  /** The seed; `null` draws one. */
  readonly seed: number | null;
  /** What the person calls the run. */
  readonly label: string | null;
  /** The folder that takes the run; `data/` of the project. */
  readonly dataDirectory: string;
  /** Check and plan only. */
  readonly dryRun: boolean;
}

/** A request as it goes to a supervisor. */
export interface SuperviseRequest extends RunRequest {
  /** Where the supervisor was started: in the machine's own network, or in a namespace made for the run. */
  readonly isolation: "none" | "namespace";
}

/** Asks what an experiment is, so that whoever asks need not load a person's file. */
export interface DescribeRequest {
  /** The URL of a file with an experiment as its default export. */
  readonly experiment: string;
  /** Tells the request from that of a run. */
  readonly describe: true;
}

/** What a run would do. */
export interface Plan {
  /** The experiment's id. */
  readonly experiment: string;
  /** Its title. */
  readonly title: string;
  /** The resolved parameters. */
  readonly params: Readonly<Record<string, ParamJson>>;
  /** The seed. */
  readonly seed: number;
  /** What it takes at most, in milliseconds. */
  readonly budgetMs: number;
  /** File descriptors that the measuring process holds at once, at most. */
  readonly descriptors: number;
  /** The servers that it starts, as they would be started by hand. */
  readonly servers: readonly string[];
  /** Hosts that the measuring process may connect to. */
  readonly net: readonly string[];
  /** The machine's own network, or a namespace of the run's own. */
  readonly namespace: Needs["namespace"];
}

/** What the supervisor tells the terminal or the notebook. */
export type SupervisorEvent =
  | Refusal
  | { readonly type: "described"; readonly description: ExperimentDescription }
  /** Nothing was started, and the supervisor is to be in a network of its own. */
  | { readonly type: "elsewhere" }
  | { readonly type: "planned"; readonly plan: Plan }
  | { readonly type: "created"; readonly id: string; readonly path: string; readonly plan: Plan }
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly text: string }
  | { readonly type: "warning"; readonly warning: Warning }
  | { readonly type: "settle" }
  | {
    readonly type: "finished";
    readonly id: string;
    readonly path: string;
    readonly status: RunStatus;
    readonly reason: string | null;
  };

/** What the supervisor tells the measuring process. */
export interface MeasureSpec {
  /** The experiment's id, path or URL. */
  readonly experiment: string;
  /** The resolved parameters. */
  readonly params: Readonly<Record<string, ParamJson>>;
  /** The seed. */
  readonly seed: number;
  /** The servers by name. */
  readonly servers: ServerHandles;
  /** What those are called that may end. */
  readonly mayEnd: readonly string[];
  /** What the experiment prepared for this process. */
  readonly prepared: Readonly<Record<string, string>>;
  /** Where the run's sockets live. */
  readonly isolation: Environment["isolation"];
  /** The state of the lab's own code. */
  readonly source: SourceState;
}

/** What the measuring process tells the supervisor. */
export type MeasureEvent =
  | { readonly type: "environment"; readonly environment: Environment }
  | { readonly type: "rows"; readonly table: string; readonly count: number; readonly text: string }
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly text: string }
  | { readonly type: "warning"; readonly warning: Warning }
  | { readonly type: "settle" }
  | { readonly type: "done" }
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly message: string };
