import { type FailureName, FAILURES, type Side, type TableData } from "../../record/mod.ts";
import type { PortBinding, PortBudget } from "../../system/mod.ts";
import { type Arm, type Ends, type Ports, predict } from "./arms.ts";
import type { Stage } from "./attempt_log.ts";

/** A connection that was made. */
export interface Connection extends Ends {
  /** When the try began, in milliseconds. */
  readonly startMs: number;
}

/** Tries one after another that failed alike. */
export interface FailedTries {
  /** Why. */
  readonly kind: FailureName;
  /** Whose limit or fault it is. */
  readonly side: Side;
  /** How many there are. */
  readonly tries: number;
}

/** What an arm tried in one stage. */
export interface Tries {
  /** The connections, in order. */
  readonly connections: readonly Connection[];
  /** The failures, in order. */
  readonly failures: readonly FailedTries[];
}

/** An arm with what was seen of it. */
export interface ArmRows extends Arm {
  /** Its range. */
  readonly ports: Ports;
  /** How long TIME_WAIT lasts on the system, as it says. */
  readonly timeWaitPresetMs: number;
  /** What is predicted of it. */
  readonly predicted: PortBudget;
  /** The same over a network, where other reuse of ports is safe. */
  readonly predictedOverNetwork: PortBudget;
  /** Connections that were open at once, and then closed. */
  readonly closed: number;
  /** Sockets that they left in TIME_WAIT on the client's side. */
  readonly timeWaitClient: number;
  /** The same on the server's. */
  readonly timeWaitServer: number;
  /** Connections that were held until no port was left. */
  readonly hold: Tries;
  /** Connections that were closed at once; `null` when there were none. */
  readonly turnover: Tries | null;
}

/** What the rows of a run are in. */
export interface ArmTables {
  /** A row an arm. */
  readonly arms: TableData;
  /** A row a connection, or a series of tries that failed alike. */
  readonly attempts: TableData;
}

/** The kinds of failure that mean that the client has no port left. */
export const PORT_FAILURES: ReadonlySet<FailureName> = new Set(["local-ports-exhausted", "address-in-use"]);

/** The provocation that comes to "address in use" while ports are free: no sign of a client without any. */
export const TAKEN_PORT = "bind() to a port that another socket has";

/**
 * The arms of a run whose ceiling was reached, each with its rows.
 *
 * @param tables the raw tables
 * @returns the arms in the order in which they were measured
 */
export function armRows({ arms, attempts }: ArmTables): ArmRows[] {
  const tries = triesOf(attempts);
  return [...arms.rows()].map((row) => {
    const number = (name: string) => row[name] as number;
    const arm: Arm = {
      variant: row.variant as string,
      ...{ reuse: number("reuse"), destinations: number("destinations"), sources: number("sources") },
      bind: row.bind as PortBinding,
      reuseAddress: isTrue(row.reuseAddress),
      closes: row.closes as Arm["closes"],
      linger0: isTrue(row.linger0),
    };
    const ports: Ports = {
      range: [number("low"), number("low") + number("ports") - 1],
      reserved: (row.reserved as string | null) ?? "",
    };
    const timeWaitMs = number("timeWaitPresetMs");
    const of = (stage: Stage) => tries.get(`${stage} ${arm.variant}`);
    return {
      ...arm,
      ports,
      timeWaitPresetMs: timeWaitMs,
      predicted: predict(arm, ports, { timeWaitMs, loopback: true }),
      predictedOverNetwork: predict(arm, ports, { timeWaitMs, loopback: false }),
      ...{ closed: number("closed"), timeWaitClient: number("timeWaitClient") },
      timeWaitServer: number("timeWaitServer"),
      hold: of("hold") ?? { connections: [], failures: [] },
      turnover: of("turnover") ?? null,
    };
  });
}

function isTrue(cell: unknown): boolean {
  return cell === true || cell === "true";
}

/** The tries of each stage and arm. */
function triesOf(attempts: TableData): Map<string, Tries> {
  const texts = Object.fromEntries(
    ["variant", "stage", "failureKind", "failureSide"]
      .map((name) => [name, attempts.texts(name)]),
  );
  const [startMs, source, port, destination, tries] = ["startMs", "source", "port", "destination", "tries"]
    .map((name) => attempts.numbers(name));
  const found = new Map<string, { connections: Connection[]; failures: FailedTries[] }>();
  for (let row = 0; row < attempts.length; row++) {
    const key = `${texts.stage![row]} ${texts.variant![row]}`;
    if (!found.has(key)) found.set(key, { connections: [], failures: [] });
    const own = found.get(key)!;
    const kind = texts.failureKind![row] as FailureName | null;
    if (kind === null) {
      own.connections.push({
        startMs: startMs![row]!,
        source: source![row]!,
        port: port![row]!,
        destination: destination![row]!,
      });
    } else {
      const side = texts.failureSide![row] as Side | null ?? FAILURES[kind].side;
      own.failures.push({ kind, side, tries: tries![row]! });
    }
  }
  return found;
}
