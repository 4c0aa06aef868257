import type { CrowdRow, LostShard } from "../../load/mod.ts";
import type { Warning } from "../../record/mod.ts";
import type { ServerEnd } from "../contract.ts";
import type { Arm } from "./mode.ts";
import type { Stage } from "./stage.ts";
import { serverFdsOf } from "./subject.ts";
import type { Watch } from "./watch.ts";

/** What an arm came to. */
export interface ArmOutcome {
  /** What was requested. */
  readonly path: string;
  /** Connections that were to be opened. */
  readonly asked: number;
  /** Whose connections they were; `null` when there came to be none. */
  readonly crowds: readonly Crowd[];
  /** How long they were watched once the last one was open, in milliseconds. */
  readonly watchedMs: number;
  /** Time between the bytes that each connection sent, in milliseconds; `null` when it sent none. @default {null} */
  readonly dripMs?: number | null;
}

/** Connections that were opened together. */
export interface Crowd {
  /** When they began to be, in milliseconds since the arm began. */
  readonly atMs: number;
  /** What became of each. */
  readonly rows: readonly CrowdRow[];
  /** Processes that were lost with theirs. */
  readonly lost: readonly LostShard[];
}

/**
 * Records an arm and its connections.
 *
 * @param stage what the run measures with
 * @param arm the arm
 * @param watch what looks at its servers: one of them tells how often it checks its time limits
 * @param outcome what it came to
 */
export async function emitArm(stage: Stage, arm: Arm, watch: Watch, outcome: ArmOutcome): Promise<void> {
  const { variant, client } = arm;
  const { words, servers } = stage.subject(arm);
  const { path, asked, crowds, watchedMs, dripMs = null } = outcome;
  const end = stage.endOf(arm);
  const said = await watch.stats();
  const { burst } = stage.plan(arm, asked, { kind: "idle" });
  const rows = crowds.flatMap(({ rows }) => rows);
  const lost = new Map(
    crowds.flatMap(({ lost }) => lost.map(({ index, reason }) => [index, reason] as const)),
  );
  const { givenUp } = stage;
  // Connections that were given up while they were being opened have no row.
  const isWhole = givenUp === null || rows.length === asked;
  const count = (wanted: (row: CrowdRow) => boolean) => isWhole ? rows.filter(wanted).length : null;
  stage.context.emit("arms", {
    ...{ variant, client, subject: words, path, servers: servers.length, asked, burst, begun: rows.length },
    opened: count(({ openMs }) => openMs !== null),
    failed: count(({ failure, openMs }) => failure !== null && openMs === null),
    watchedMs,
    ...limitCells(stage, arm),
    givenUp: isWhole ? null : givenUp,
    checkingMs: typeof said === "string" ? null : said.brakes.checkingIntervalMs,
    dripMs,
    lostShards: lost.size,
    serverEnd: end === null ? null : endText(end),
  });
  for (const [shard, reason] of lost) stage.context.emit("lost", { variant, shard, reason });
  if (end !== null) stage.context.warn(serverEnded(variant, end));
  for (const crowd of crowds) emitConnections(stage, variant, crowd);
}

/**
 * Records connections that were opened together.
 *
 * @param stage what the run measures with
 * @param variant their arm
 * @param crowd what became of them
 */
export function emitConnections({ context }: Stage, variant: string, { atMs, rows }: Crowd): void {
  const since = (ms: number | null) => ms === null ? null : atMs + ms;
  for (const row of rows) {
    const { shard, connection, connectMs, status, sentBytes } = row;
    context.emit("connections", {
      ...{ variant, shard, connection, connectMs, status, sentBytes },
      startMs: atMs + row.startMs,
      openMs: since(row.openMs),
      closedMs: since(row.closedMs),
      failurePhase: row.phase,
      failureKind: row.failure,
      failureSide: row.side,
    });
  }
}

/**
 * The warning that a server did not last.
 *
 * @param variant its arm
 * @param end how it ended
 * @returns the warning
 */
export function serverEnded(variant: string, end: ServerEnd): Warning {
  return {
    code: "server-ended",
    message:
      `A server of ${variant} ended by itself (${endText(end)}): its connections went with it, which ` +
      "is the server's side, and not a limit of time",
    remedy: "Look at its descriptors and memory, and at what it said",
  };
}

/**
 * The warning that a server did not answer.
 *
 * @param variant its arm
 * @param reason which, and for how long
 * @returns the warning
 */
export function serverSilent(variant: string, reason: string): Warning {
  return {
    code: "server-silent",
    message: `${variant} was given up: ${reason}`,
    remedy: "Look whether it is stopped or has no processor time, or limit each connection (--timeout 5s)",
  };
}

/**
 * Records an arm that has no outcome.
 *
 * @param stage what the run measures with
 * @param arm the arm
 * @param path what would have been requested
 * @param givenUp why
 */
export function emitUnmeasured(stage: Stage, arm: Arm, path: string, givenUp: string): void {
  const { words, servers } = stage.subject(arm);
  const asked = arm.connections;
  const end = stage.endOf(arm);
  stage.context.emit("arms", {
    ...{ variant: arm.variant, client: arm.client, subject: words, path, servers: servers.length, asked },
    ...{ burst: stage.plan(arm, asked, { kind: "idle" }).burst, begun: 0, opened: null, failed: null },
    ...{ watchedMs: 0, checkingMs: null, dripMs: null, lostShards: 0, ...limitCells(stage, arm), givenUp },
    serverEnd: end === null ? null : endText(end),
  });
}

function limitCells({ params }: Stage, arm: Arm) {
  const { brakes } = arm;
  return {
    serverFds: serverFdsOf(params, arm) || null,
    headerTimeoutMs: brakes.headerTimeoutMs || null,
    idleTimeoutMs: brakes.idleTimeoutMs || null,
    requestTimeoutMs: brakes.requestTimeoutMs || null,
  };
}

/**
 * How a server ended, for a cell.
 *
 * @param end its end
 * @returns its signal or exit status, and the error that it told, or else the last thing that it said
 */
export function endText({ code, signal, said }: ServerEnd): string {
  const how = signal === null ? `exit status ${code}` : signal;
  const words = said.find((line) => /error|panic/i.test(line)) ?? said.findLast((line) => line.trim() !== "");
  return words === undefined ? how : `${how}: ${words.trim()}`;
}
