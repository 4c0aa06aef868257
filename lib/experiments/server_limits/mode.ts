import type { LoadClient } from "../../load/mod.ts";
import type { Metric, TableData } from "../../record/mod.ts";
import type { Needs } from "../contract.ts";
import type { Values } from "./params.ts";
import type { Stage } from "./stage.ts";
import type { Tables } from "./tables.ts";

/** The limits that a server of the lab is given; 0 for none. */
export interface Brakes {
  /** How long the header of a request may take, in milliseconds. */
  readonly headerTimeoutMs: number;
  /** How long a kept connection may be without a request, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** How long a whole request may take to come in, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Connections at once. */
  readonly maxConnections: number;
}

/** What is compared in a run: each arm has servers of its own, so that none meets what another left behind. */
export interface Arm {
  /** Its name: lower-case words with - between them. */
  readonly variant: string;
  /** What opens its connections. */
  readonly client: LoadClient;
  /** The stack of its servers, where they are the lab's own. */
  readonly stack: Values["stack"];
  /** The limits of its servers. */
  readonly brakes: Brakes;
  /** Workers of each of its servers. */
  readonly workers: number;
  /** Connections that are to be open at once, at most. */
  readonly connections: number;
  /** File descriptors that each of its servers may have. @default {what the run was asked for} */
  readonly serverFds?: number;
  /** Connections that are being opened at once, at most. @default {what the accept queue of every stack takes} */
  readonly burst?: number;
  /** How long a connection may take to open, where the run does not say, in milliseconds. @default {any time} */
  readonly timeoutMs?: number;
}

/** The raw tables of a run. */
export type RunTables = { readonly [K in keyof Tables]: TableData };

/** One way of holding a server at its limits: a file each. */
export interface Mode {
  /**
   * Its arms, in the order in which they are measured.
   *
   * @throws {MisuseError} the parameters do not fit each other
   */
  arms(params: Values): readonly Arm[];
  /** What it takes at most, in milliseconds, beside starting. */
  budgetMs(params: Values): number;
  /** What it touches beyond what every mode does. @default {the machine's own network} */
  needs?(params: Values): Partial<Needs>;
  /** Whether its arms are measured side by side, and hold their connections at once. @default {false} */
  readonly sideBySide?: boolean;
  /** Whether it is for the mode, and not for the whole run, to keep to `--client-fds`. @default {false} */
  readonly limitsClient?: boolean;
  /** File descriptors of the client, at most. @default {one a connection} */
  descriptors?(params: Values): number;
  /** Connections to one address and port, at most. @default {those of an arm} */
  connections?(params: Values): number;
  /** Measures, and emits rows. */
  measure(stage: Stage): Promise<void>;
  /** Its metrics. Pure. */
  summarize(tables: RunTables, params: Values, seed: number): readonly Metric[];
}

/**
 * The limits that a run was asked for, without a header timeout: that is an arm of its own in slowloris.
 *
 * @param params the parameters
 * @returns the limits
 */
export function brakesOf(params: Values): Brakes {
  const { idleTimeout, requestTimeout, maxConnections } = params;
  return { headerTimeoutMs: 0, idleTimeoutMs: idleTimeout, requestTimeoutMs: requestTimeout, maxConnections };
}
