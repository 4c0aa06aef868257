import type { Row } from "../../record/mod.ts";
import { randomSource } from "../../stats/mod.ts";
import { readEnvironment } from "../../system/mod.ts";
import type { MeasureContext, ServerHandles, TableSchemas } from "../contract.ts";
import { ServerEnds } from "../server_ends.ts";

/** What a {@linkcode RecordingContext} offers to a measurement. */
export interface RecordingContextOptions {
  /** The servers. @default {none} */
  readonly servers?: ServerHandles;
  /** What was made for the measuring process. @default {nothing} */
  readonly prepared?: Readonly<Record<string, string>>;
  /** What is known of servers that may end. @default {none may} */
  readonly ends?: ServerEnds;
}

/** Runs a measurement in this process, for tests, and keeps what it said. */
export class RecordingContext<T extends TableSchemas> {
  /** The rows of each table, in order. */
  readonly rows: Record<keyof T & string, Row[]>;
  /** The codes of its warnings, in order. */
  readonly warnings: string[] = [];
  /** Stops the run. */
  readonly abort: AbortController = new AbortController();
  /** What the measurement is given. */
  readonly context: MeasureContext<T>;

  /**
   * @param tables the tables of the experiment
   * @param options servers, and what was made
   */
  constructor(tables: T, options: RecordingContextOptions = {}) {
    const { servers = {}, prepared = {}, ends = new ServerEnds() } = options;
    this.rows = Object.fromEntries(
      Object.keys(tables).map((name) => [name, []]),
    ) as unknown as typeof this.rows;
    const codes = new Set<string>();
    this.context = {
      ...{ servers, prepared, seed: 1, random: randomSource(1), signal: this.abort.signal },
      environment: readEnvironment({ isolation: "none" }),
      ended: (server) => ends.ended(server),
      endOf: (server) => ends.endOf(server),
      now: () => performance.now(),
      emit: (table, row) => void this.rows[table].push(row),
      progress: () => {},
      warn: ({ code }) => {
        if (!codes.has(code)) this.warnings.push(code);
        codes.add(code);
      },
      timed: async (work) => {
        const start = performance.now();
        return { value: await work(), elapsedMs: performance.now() - start };
      },
    };
  }
}
