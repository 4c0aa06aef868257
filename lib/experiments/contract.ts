import type {
  Claim,
  CommandLine,
  Environment,
  Figure,
  Metric,
  ParamSchema,
  ParamsOf,
  RowOf,
  RunView,
  TableData,
  TableSchema,
  Warning,
} from "../record/mod.ts";
import { findProblem } from "./find_problem.ts";

/** What a run may touch beyond its own process. */
export interface Needs {
  /**
   * Hosts that the measuring process may connect to, as `--allow-net` takes them. An address of IPv6 may stand without
   * its brackets, unless a port follows: `::1`, `[::1]:8080`.
   */
  readonly net: readonly string[];
  /** The machine's own network, a namespace of the run's own, or one with an emulated link. */
  readonly namespace: "none" | "own" | "link";
  /**
   * Whether there is no run where the system forbids the namespace. Else it goes on in the machine's own network,
   * with a warning, and `environment.isolation` says so. @default {true}
   */
  readonly required?: boolean;
}

/** A server that the supervisor starts for a run: a program of `servers/`. */
export interface ServerSpec {
  /** The program, `servers/<name>.ts`. */
  readonly name: string;
  /** Its flags; computed, where it has to know the ports of servers that stand before it. */
  readonly flags: readonly string[] | ((before: ServerHandles) => readonly string[]);
  /** The key under which the measuring process finds it. @default {the name} */
  readonly as?: string;
  /** Addresses that it may listen on and connect to, as `--allow-net` takes them. @default {["127.0.0.1"]} */
  readonly net?: readonly string[];
  /** File descriptors that it holds at once, at most: its listeners and connections. @default {64} */
  readonly descriptors?: number;
  /** Whether its end is something to measure, and does not fail the run. @default {false} */
  readonly mayEnd?: boolean;
  /** Whether it may call the C library, for what Deno does not offer. @default {false} */
  readonly libc?: boolean;
  /**
   * What the server `command` starts and keeps: the value of a parameter that `command()` made, since only what a
   * person named may be started. Its handle has the command's process id.
   */
  readonly run?: CommandLine;
  /** How long it may take until it listens, in milliseconds. @default {10_000} */
  readonly startMs?: number;
  /** Whether it may start threads, which read the lab's own files and share ports. @default {false} */
  readonly threads?: boolean;
  /**
   * What the network is called that it is in, besides the run's: new, and shared with the servers that name the same
   * one. They reach each other and nobody else. The measuring process enters it by the process id of one of them.
   * Only where {@linkcode Needs.namespace} is `own`, and required. @default {the run's network}
   */
  readonly network?: string;
}

/** What a server announced of itself on its standard output. */
export interface ServerHandle {
  /** The address that it listens on. */
  readonly hostname: string;
  /** Its first port, which answers `/stats`. */
  readonly port: number;
  /** Further ports, one listener each, when it was asked for them. */
  readonly ports: readonly number[];
  /** Its process id. */
  readonly pid: number;
}

/** What is made for one run and kept nowhere, such as keys and certificates. */
export interface Prepared {
  /** What a server is told on its standard input before it listens, under its key. It is on no command line. */
  readonly servers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What the measuring process finds as {@linkcode MeasureContext.prepared}. */
  readonly measure?: Readonly<Record<string, string>>;
}

/** How a server ended that was not told to. */
export interface ServerEnd {
  /** Its exit status. */
  readonly code: number;
  /** The signal that ended it, such as `SIGKILL`; `null` when it ended by itself. */
  readonly signal: string | null;
  /** The last lines of its standard error. */
  readonly said: readonly string[];
  /** When, in milliseconds since the measurement began: before it, a negative number. */
  readonly atMs: number;
}

/** The servers of a run, each under its name or what it is called `as`. */
export type ServerHandles = Readonly<Record<string, ServerHandle>>;

/** The tables of an experiment by name. */
export type TableSchemas = Readonly<Record<string, TableSchema>>;

/** What the measuring process offers to {@linkcode ExperimentDefinition.measure}. */
export interface MeasureContext<T extends TableSchemas = TableSchemas> {
  /** The servers by name. */
  readonly servers: ServerHandles;
  /** What {@linkcode ExperimentDefinition.prepare} made for this process. */
  readonly prepared: Readonly<Record<string, string>>;
  /** The machine and its settings, as the measuring process sees them. */
  readonly environment: Environment;
  /** Aborts when the run is to stop: finish the round at hand quickly and return. */
  readonly signal: AbortSignal;
  /** The run's random numbers in [0, 1), from its seed. */
  readonly random: () => number;
  /** The seed. */
  readonly seed: number;
  /**
   * Waits for the end of a server that may end: see {@linkcode ServerSpec.mayEnd}.
   *
   * @param server what it is called
   * @returns how it ended; never, where it does not
   * @throws {RangeError} there is no such server, or its end fails the run
   */
  ended(server: string): Promise<ServerEnd>;
  /**
   * Looks whether a server has ended that may.
   *
   * @param server what it is called
   * @returns how it ended, as far as this process has heard; `null` when it has not
   * @throws {RangeError} there is no such server, or its end fails the run
   */
  endOf(server: string): ServerEnd | null;
  /** Milliseconds since the measurement began, on the monotonic clock. */
  now(): number;
  /** Records a row. It is buffered, and written between timed intervals only. */
  emit<K extends keyof T & string>(table: K, row: RowOf<T[K]>): void;
  /** Says how far the measurement is. Call it between timed intervals. */
  progress(done: number, total: number, text: string): void;
  /** Records something that makes the run less sure than it looks. A code is recorded once. */
  warn(warning: Warning): void;
  /**
   * Measures a timed interval. It begins when the lab is done with what came before (rows are stored, progress
   * is shown), and while it lasts nothing is written.
   *
   * @returns what `work` returned and how long it took, in milliseconds
   */
  timed<R>(work: () => Promise<R>): Promise<{ readonly value: R; readonly elapsedMs: number }>;
}

/** One question about connections, with its parameters, its measurement and its figures. */
export interface ExperimentDefinition<
  P extends ParamSchema = ParamSchema,
  T extends TableSchemas = TableSchemas,
> {
  /** The name in commands, cells and `data/`: kebab case. */
  readonly id: string;
  /** Raised when rows or metrics change their meaning. */
  readonly version: number;
  /** A few words. */
  readonly title: string;
  /** The question that it answers, in one sentence. */
  readonly question: string;
  /** Its parameters. */
  readonly params: P;
  /** The columns of its raw tables. */
  readonly tables: T;
  /** What it may touch. @default {loopback only, no namespace} */
  needs?(params: ParamsOf<P>): Needs;
  /** The servers that it wants. @default {none} */
  servers?(params: ParamsOf<P>): readonly ServerSpec[];
  /** Makes, before any server starts, what one run needs and nothing records. @default {nothing} */
  prepare?(params: ParamsOf<P>): Promise<Prepared>;
  /** What it takes at most, in milliseconds: shown beforehand, enforced. */
  budgetMs(params: ParamsOf<P>): number;
  /** File descriptors that the measuring process holds at once, at most. @default {64} */
  descriptors?(params: ParamsOf<P>): number;
  /**
   * Connections that it opens to one address and port, at most. Each takes an ephemeral port and keeps it in
   * TIME_WAIT. @default {not held against the range of ports}
   */
  connections?(params: ParamsOf<P>): number;
  /** Measures: emits rows until it is done or `context.signal` aborts. */
  measure(params: ParamsOf<P>, context: MeasureContext<T>): Promise<void>;
  /** The metrics, from the raw rows alone. Pure; random numbers come from the seed. */
  summarize(
    tables: { readonly [K in keyof T]: TableData },
    params: ParamsOf<P>,
    seed: number,
  ): readonly Metric[];
  /** The figures by name. Pure. */
  readonly figures: Readonly<Record<string, (run: RunView<ParamsOf<P>>) => Figure>>;
  /** What articles state about it. @default {none} */
  readonly claims?: readonly Claim<ParamsOf<P>>[];
}

/** An experiment whose parameters and tables are known only when it runs. */
// deno-lint-ignore no-explicit-any -- the registry holds experiments of every shape
export type Experiment = ExperimentDefinition<any, any>;

/**
 * Declares an experiment: a file's default export. Parameters and rows are typed from `params` and
 * `tables`.
 *
 * @param definition what it asks, measures and shows
 * @returns the experiment
 * @throws {TypeError} the id is not kebab case, there is no table, or a preset value is not accepted: see
 * {@linkcode findProblem}
 */
export function defineExperiment<const P extends ParamSchema, const T extends TableSchemas>(
  definition: ExperimentDefinition<P, T>,
): Experiment {
  const problem = findProblem(definition);
  if (problem === null) return definition;
  throw new TypeError(`Cannot define experiment ${definition?.id} as ${problem}`);
}
