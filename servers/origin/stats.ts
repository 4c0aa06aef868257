import { type Brakes, checkingIntervalMs, type Defaults, type Limits } from "./brakes.ts";
import { type Counts, type Sight, type Stack, total } from "./counters.ts";

/** What one thread of the origin tells of itself. */
export interface ThreadReport {
  /** What its listeners have counted, with their ports. */
  readonly listeners: readonly (readonly [port: number, counts: Counts])[];
  /** How late its event loop was of late, in milliseconds. */
  readonly eventLoopDelayMs: number;
  /** What its heap holds. */
  readonly heapUsedBytes: number;
}

/** What does not change while the origin serves. */
export interface Facts {
  /** What serves. */
  readonly stack: Stack;
  /** Whether over TLS. */
  readonly tls: boolean;
  /** What closes or refuses connections. */
  readonly brakes: Brakes;
  /** How many connections may wait to be accepted; `null` where that is left to the stack. */
  readonly backlog: number | null;
  /** The limit of file descriptors that it set itself. */
  readonly descriptors: number | null;
  /** The limits that the stack comes with; `null` where it exposes none. */
  readonly defaults: Defaults | null;
}

/** What one thread has counted, as `/stats` gives it. */
export interface WorkerStats extends Omit<Counts, "handshakes" | "protocols"> {
  /** How late its event loop was of late, in milliseconds. */
  readonly eventLoopDelayMs: number;
}

/** What `/stats` gives. */
export interface Stats extends Counts {
  /** What serves. */
  readonly stack: Stack;
  /** The port whose counts these are; `null` for all. */
  readonly port: number | null;
  /** The largest of the workers'. */
  readonly eventLoopDelayMs: number;
  /** The resident memory of the process, `null` where it cannot be read, and what the heaps of its threads hold. */
  readonly memory: { readonly rssBytes: number | null; readonly heapUsedBytes: number };
  /** What is configured; `null` for what is off or left to the stack. */
  readonly brakes: Limits & Pick<Facts, "backlog" | "descriptors">;
  /** See {@linkcode Facts.defaults}. */
  readonly defaults: Defaults | null;
  /** What each thread has counted. */
  readonly workers: readonly WorkerStats[];
  /** Why something is `null`. */
  readonly reasons: Readonly<Record<string, string>>;
}

const UNSEEN = "Deno.serve has no connection events";

/**
 * What the listeners of a stack get to know: `Deno.serve` has no events of connections.
 *
 * @param facts the stack, and whether over TLS
 * @returns what can be counted
 */
export function sightOf({ stack, tls }: Pick<Facts, "stack" | "tls">): Sight {
  return { connections: stack === "node", handshakes: stack === "node" && tls };
}

/**
 * Puts together what the threads of the origin have counted.
 *
 * @param reports what each tells of itself
 * @param options what does not change, whose counts are wanted, and the memory of the process
 * @returns the counts; `null` where no listener is at the port
 */
export function statsOf(
  reports: readonly ThreadReport[],
  { facts, port, rssBytes }: { facts: Facts; port: number | null; rssBytes: number },
): Stats | null {
  const counted = reports.map(({ listeners }) =>
    listeners.filter(([at]) => port === null || at === port).map(([, counts]) => counts)
  );
  if (counted.every((counts) => counts.length === 0)) return null;
  const counts = total(counted.flat());
  const { stack, tls, brakes, backlog, descriptors, defaults } = facts;
  return {
    stack,
    port,
    ...counts,
    eventLoopDelayMs: Math.max(...reports.map(({ eventLoopDelayMs }) => eventLoopDelayMs)),
    memory: {
      // Deno reads it from a file, and gives 0 where no descriptor is left to open one.
      rssBytes: rssBytes || null,
      heapUsedBytes: reports.reduce((sum, { heapUsedBytes }) => sum + heapUsedBytes, 0),
    },
    brakes: { ...brakes, checkingIntervalMs: checkingIntervalMs(brakes), backlog, descriptors },
    defaults,
    workers: reports.map(({ eventLoopDelayMs }, index) => {
      const { handshakes: _, protocols: __, ...counts } = total(counted[index]!);
      return { ...counts, eventLoopDelayMs };
    }),
    reasons: {
      ...(sightOf(facts).connections ? {} : { accepted: UNSEEN, active: UNSEEN, refused: UNSEEN }),
      ...(counts.handshakes ? {} : { handshakes: tls ? UNSEEN : "Its connections are plain" }),
      ...(rssBytes ? {} : { "memory.rssBytes": "There is no descriptor to read it with" }),
      ...(defaults ? {} : { defaults: "Deno.serve exposes no limit" }),
    },
  };
}
