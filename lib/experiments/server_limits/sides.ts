import type { FailureName, Side } from "../../record/mod.ts";

/** What can give out first. */
export const LIMIT_SIDES = [
  "server",
  "client ports",
  "client descriptors",
  "accept queue",
  "processor",
] as const;

/** One of {@linkcode LIMIT_SIDES}. */
export type LimitSide = (typeof LIMIT_SIDES)[number];

/** Connections or requests that failed alike. */
export interface FailedAlike {
  /** How. */
  readonly kind: FailureName;
  /** Whose limit or fault it is as far as its kind tells. */
  readonly side: Side;
  /** Whether the connection was not even made. */
  readonly connecting: boolean;
  /** How many. */
  readonly count: number;
}

/** What was seen while a server was held at a limit. What was not seen is `null`. */
export interface Evidence {
  /** What failed. */
  readonly failures: readonly FailedAlike[];
  /** Connections that the client held open, and the server ended. */
  readonly ended: number;
  /** How the server ended by itself, in words; `null` when it did not. */
  readonly serverEnd: string | null;
  /** Connections that the kernel dropped, because the accept queue was full. */
  readonly listenOverflows: number | null;
  /** Connections that waited in the accept queue when all were open that could be. */
  readonly queued: number | null;
  /** Descriptors that the server might still have opened then, where its number was limited. */
  readonly serverDescriptorsLeft: number | null;
  /** The share of a processor that the busiest thread of the client had. */
  readonly clientCpuShare: number | null;
  /** The share of its processors that the server had: of as many as it has workers. */
  readonly serverCpuShare: number | null;
  /** The share of all processors of the machine that were busy. */
  readonly machineBusyShare: number | null;
}

/** A side that gave out. */
export interface GaveOut {
  /** The side. */
  readonly side: LimitSide;
  /** Connections or requests that it cost; `null` where it bounded their rate. */
  readonly count: number | null;
  /** Whose processor it is; `null` for the other sides, whose names tell. */
  readonly owner: "client" | "server" | "machine" | null;
  /** What was seen, for people. */
  readonly reason: string;
}

/** A client that had this share of a processor made the rate, and not the server. */
const CLIENT_BUSY_SHARE = 0.95;

/** A server that had this share of its processors could do no more. */
const SERVER_BUSY_SHARE = 0.85;

const PORT_KINDS: ReadonlySet<FailureName> = new Set(["local-ports-exhausted", "address-in-use"]);

/** A machine with this share of its processors busy had none left for either. */
const MACHINE_BUSY_SHARE = 0.97;

/** A server with fewer descriptors than this is about to open its last: some keep one back. */
const FEW_DESCRIPTORS = 4;

/** Failures that a server which ends, or has no descriptor left, is seen by. */
const BROKEN_KINDS: ReadonlySet<FailureName> = new Set(["refused", "reset", "closed-early", "bad-response"]);

/**
 * Which sides gave out, from what was seen on all of them: a limit of the client is never booked to the server, nor
 * one of the kernel between them.
 *
 * - The client's ports and descriptors are told by its own failed calls.
 * - A server that ended by itself accounts for every connection that was refused, or broken off.
 * - Connects that got no answer are the accept queue's where the kernel says that it overflowed, and connections
 *   that were made and never answered where they still wait in it; else they are the server's, which was silent. One
 *   without a descriptor cannot accept: what waits then is the server's too.
 * - Where nothing failed, a processor that has no time left bounds the rate: the client's own is looked at first,
 *   then the server's, then those of the whole machine.
 *
 * Source: connect(2), socket(2), listen(2); `TcpExt` `ListenOverflows` of `/proc/net/netstat`.
 *
 * @param evidence what was seen
 * @returns the sides that gave out, each once, in the order of {@linkcode LIMIT_SIDES}; none when none did
 */
export function sidesOf(evidence: Evidence): GaveOut[] {
  const found = [
    serverSide(evidence),
    portSide(evidence),
    descriptorSide(evidence),
    queueSide(evidence),
  ].filter((side) => side !== null);
  return found.length > 0 ? found : [processorSide(evidence)].filter((side) => side !== null);
}

function countOf({ failures }: Evidence, wanted: (failed: FailedAlike) => boolean): number {
  return failures.filter(wanted).reduce((sum, { count }) => sum + count, 0);
}

function portSide(evidence: Evidence): GaveOut | null {
  const count = countOf(evidence, ({ kind, side }) => PORT_KINDS.has(kind) && side === "client");
  if (count === 0) return null;
  return gaveOut("client ports", count, `${count} times no local port was free for the client`);
}

function descriptorSide(evidence: Evidence): GaveOut | null {
  const count = countOf(evidence, ({ kind, side }) => kind === "descriptors-exhausted" && side === "client");
  if (count === 0) return null;
  return gaveOut("client descriptors", count, `${count} times the client had no descriptor left`);
}

function queueSide(evidence: Evidence): GaveOut | null {
  const { connecting, waiting } = queuedOf(evidence);
  if (connecting + waiting === 0) return null;
  const parts = [
    ...(connecting > 0
      ? [`${connecting} connects got no answer while the kernel dropped connections for a full accept queue`]
      : []),
    ...(waiting > 0 ? [`${waiting} connections waited in it and were not accepted`] : []),
  ];
  return gaveOut("accept queue", connecting + waiting, parts.join("; "));
}

/** What the accept queue accounts for of that which got no answer in time. */
function queuedOf(evidence: Evidence): { readonly connecting: number; readonly waiting: number } {
  const { listenOverflows, queued } = evidence;
  if (isDeaf(evidence)) return { connecting: 0, waiting: 0 };
  const late = (connecting: boolean) =>
    countOf(evidence, (failed) => failed.kind === "timed-out" && failed.connecting === connecting);
  return {
    connecting: (listenOverflows ?? 0) > 0 ? late(true) : 0,
    waiting: Math.min(queued ?? 0, late(false)),
  };
}

/** Whether the server runs, and has no descriptor to accept with. */
function isDeaf({ serverDescriptorsLeft, queued }: Evidence): boolean {
  return serverDescriptorsLeft !== null && serverDescriptorsLeft < FEW_DESCRIPTORS && (queued ?? 0) > 0;
}

function serverSide(evidence: Evidence): GaveOut | null {
  const { serverEnd, ended } = evidence;
  const broken = countOf(evidence, ({ kind, side }) => BROKEN_KINDS.has(kind) && side === "server");
  const late = countOf(evidence, ({ kind }) => kind === "timed-out");
  const { connecting, waiting } = queuedOf(evidence);
  const silent = late - connecting - waiting;
  const count = broken + silent + ended;
  if (serverEnd !== null) return gaveOut("server", count, `The server ended: ${serverEnd}`);
  if (count === 0) return null;
  const parts = [
    ...(broken > 0 ? [`${broken} connections were refused or broken off`] : []),
    ...(ended > 0 ? [`${ended} were ended that were open`] : []),
    ...(silent > 0
      ? [
        `${silent} got no answer in time${
          isDeaf(evidence) ? ", as it had no descriptor left to accept with" : ""
        }`,
      ]
      : []),
  ];
  return gaveOut("server", count, parts.join("; "));
}

function processorSide({ clientCpuShare, serverCpuShare, machineBusyShare }: Evidence): GaveOut | null {
  const of = (owner: GaveOut["owner"], reason: string): GaveOut => ({
    ...{ side: "processor", count: null, owner, reason },
  });
  if (clientCpuShare !== null && clientCpuShare >= CLIENT_BUSY_SHARE) {
    return of(
      "client",
      `The client had ${percent(clientCpuShare)} of one: the server may be able to do more`,
    );
  }
  if (serverCpuShare !== null && serverCpuShare >= SERVER_BUSY_SHARE) {
    return of("server", `The server had ${percent(serverCpuShare)} of its own`);
  }
  if (machineBusyShare !== null && machineBusyShare >= MACHINE_BUSY_SHARE) {
    return of(
      "machine",
      `${percent(machineBusyShare)} of all were busy, also with neither client nor server`,
    );
  }
  return null;
}

function gaveOut(side: LimitSide, count: number, reason: string): GaveOut {
  return { side, count, owner: null, reason };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
