import { type Claim, claim, type Judgement, type RunView } from "../../record/mod.ts";
import { portBudget } from "../../system/mod.ts";
import { differs, holds, notMeasured } from "../_shared/judgement.ts";
import { type ArmRows, armRows, PORT_FAILURES, TAKEN_PORT } from "./arm_rows.ts";
import type { Arm } from "./arms.ts";
import type { Values } from "./params.ts";
import { observedRate } from "./rate.ts";
import { failuresOf, NOT_WATCHED, observedConnections } from "./summarize.ts";
import { type TimeWaitTimes, timeWaitTimes } from "./time_wait.ts";

type View = RunView<Values>;

/** What sources A and B state about ports that run out. */
export const claims: readonly Claim<Values>[] = [
  claim(
    "A4",
    "TIME_WAIT lasts 2 × MSL: 30 s on macOS, 60 s on Linux, about 2 minutes on Windows",
    judgeTimeWait,
  ),
  claim(
    "A17",
    "16,384 ports held for 30 s each: 546 new connections a second to one address fill them",
    judgeRate,
  ),
  claim(
    "A18",
    '"address already in use" and "cannot assign requested address" mean that the client has no port left',
    judgeKinds,
  ),
  claim("A20", "The side that closes first has the TIME_WAIT: a server that closes has it", judgeSides),
  claim("B10", "SO_REUSEADDR does not help the client", judgeReuseAddress),
];

/** How far a rate may be from its prediction. */
const RATE_TOLERANCE = 0.05;

/** By how much sooner a socket in TIME_WAIT may be gone, in milliseconds. */
const SOONER_MS = 100;

/** By how much longer it may be there: the kernel's timers are coarse. */
const LONGER_SHARE = 0.08;

/** What may be why something is later than the system says: how coarse its timers are, no program can ask. */
const TIMER_STEPS = "; the kernel's timer steps may be why, as they let sockets go late";

function armsOf({ tables }: View): ArmRows[] {
  return armRows({ arms: tables.arms!, attempts: tables.attempts! });
}

function missing({ values }: View): string {
  return values.watchTimeWait ? "The run ended before it" : NOT_WATCHED;
}

/** Each socket from its own close: the platform's value, −0.1 s to +8 %. */
function judgeTimeWait(run: View): Judgement {
  const presetMs = run.environment?.network.timeWaitMs ?? null;
  if (presetMs === null) return notMeasured("How long TIME_WAIT lasts on this system is not known");
  const sides = timeWaitTimes(run.tables.followed!);
  if (sides.length === 0) return notMeasured(missing(run));
  const sum = (count: (side: TimeWaitTimes) => number) =>
    sides.reduce((total, side) => total + count(side), 0);
  const shortestMs = Math.min(...sides.map((side) => side.shortestMs));
  const longestMs = Math.max(...sides.map((side) => side.longestMs));
  const resolutionMs = Math.max(...sides.map((side) => side.resolutionMs));
  const sockets = sum((side) => side.sockets);
  const seen =
    `${sockets} sockets at ${sides.map(({ side }) => side).join(" and ")}, each from its own close: ` +
    `gone after ${seconds(shortestMs)} at the earliest, there until ${seconds(longestMs)} at the latest ` +
    `(looked at every ${resolutionMs.toFixed(0)} ms or less); this system says ${seconds(presetMs)}`;
  if (shortestMs < presetMs - SOONER_MS) return differs(shortestMs, seen, { unit: "ms" });
  if (longestMs > presetMs * (1 + LONGER_SHARE)) {
    return differs(longestMs, seen + TIMER_STEPS, { unit: "ms" });
  }
  const unfinished = sum((side) => side.unfinished);
  if (unfinished > 0) return notMeasured(`${seen}; ${unfinished} more were not followed to their end`);
  return holds(sum((side) => side.meanMs * side.sockets) / sockets, seen, { unit: "ms" });
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Predicted = observed, ± 5 %, for every arm to one address whose ports are held for all of TIME_WAIT. */
function judgeRate(run: View): Judgement {
  const arms = armsOf(run).filter(({ predicted, timeWaitPresetMs, destinations }) =>
    destinations === 1 && predicted.heldMs === timeWaitPresetMs
  );
  if (arms.length === 0) {
    return notMeasured(
      "No arm to one address keeps its ports in TIME_WAIT (--destinations 1 --time-wait-reuse 0)",
    );
  }
  if (!run.values.watchTimeWait) return notMeasured(NOT_WATCHED);
  let farthest = 0;
  for (const arm of arms) {
    const rate = observedRate(arm);
    if (typeof rate === "string") return notMeasured(`${arm.variant}: ${rate}`);
    const predicted = arm.predicted.sustainedRatePerSecond!;
    const off = rate.ratePerSecond / predicted - 1;
    if (Math.abs(off) > RATE_TOLERANCE) {
      const seen = `${arm.variant}: ${rate.ratePerSecond.toFixed(2)}/s, and ${
        predicted.toFixed(2)
      }/s predicted${off < 0 ? TIMER_STEPS : ""}`;
      return differs(rate.ratePerSecond, seen, { unit: "1/s" });
    }
    if (Math.abs(off) > Math.abs(farthest)) farthest = off;
  }
  const [first] = arms as [ArmRows];
  const { ratePerSecond } = observedRate(first) as { ratePerSecond: number };
  const predicted = first.predicted.sustainedRatePerSecond!;
  return holds(
    ratePerSecond,
    `${first.variant}: ${
      predicted.toFixed(2)
    }/s predicted of ${first.predicted.ports} ports; the farthest of ` +
      `${arms.length} arms is ${(farthest * 100).toFixed(1)} % off${wholeRange(run)}`,
    { unit: "1/s" },
  );
}

/** What the same comes to for a range as the system has it. */
function wholeRange({ environment }: View): string {
  const { ephemeralPorts: range, timeWaitMs } = environment?.network ?? {};
  if (!range || !timeWaitMs) return "";
  const { sustainedRatePerSecond } = portBudget({ range, timeWaitMs });
  return `; a range of ${range.join("-")} is enough for ${Math.floor(sustainedRatePerSecond!)}/s`;
}

/**
 * Every failure of every arm is one of the two, and the client's; both are met where ports ran out; each that was
 * provoked is of the kind that it must be.
 */
function judgeKinds(run: View): Judgement {
  const failures = armsOf(run).flatMap(failuresOf);
  if (failures.length === 0) return notMeasured("No port range was used up");
  const other = failures.find(({ kind, side }) => !PORT_FAILURES.has(kind) || side !== "client");
  if (other !== undefined) return differs(other.tries, `${other.tries} tries: ${other.kind}, ${other.side}`);
  const provoked = [...run.tables.provoked!.rows()].filter(({ reason }) => reason === null);
  for (const { provocation, expectedKind, failureKind, failureSide } of provoked) {
    if (failureKind === expectedKind) continue;
    return differs(1, `${provocation}: ${failureKind ?? "nothing failed"}, ${failureSide ?? "no side"}`);
  }
  const ranOut = provoked.filter(({ provocation }) => provocation !== TAKEN_PORT);
  const met = new Map([...PORT_FAILURES].map((kind) => [
    kind,
    failures.filter((one) => one.kind === kind).reduce((sum, { tries }) => sum + tries, 0) +
    ranOut.filter((one) => one.failureKind === kind).length,
  ]));
  for (const [kind, count] of met) if (count === 0) return notMeasured(`Nothing came to ${kind} (--compare)`);
  const [total, text] = [[...met.values()].reduce((sum, count) => sum + count, 0), [...met]];
  return holds(
    total,
    `Classified as the client's: ${text.map(([kind, count]) => `${count} ${kind}`).join(", ")}; ` +
      `${provoked.length} failures were provoked, and each is of the kind that it must be` +
      (ranOut.length === provoked.length
        ? ""
        : `; ${TAKEN_PORT} is address-in-use too, with ports free: not counted`),
  );
}

/** All sockets in TIME_WAIT are on the side that closed first; for client and server. */
function judgeSides(run: View): Judgement {
  const all = armsOf(run);
  const arms = all.filter(({ linger0 }) => !linger0);
  for (const { variant, closes, closed, timeWaitClient, timeWaitServer } of arms) {
    const [first, other] = closes === "client"
      ? [timeWaitClient, timeWaitServer]
      : [timeWaitServer, timeWaitClient];
    if (first === closed && other === 0) continue;
    const seen = `${variant}: ${closes} closed ${closed} connections first, ${timeWaitClient} sockets in ` +
      `TIME_WAIT at the client and ${timeWaitServer} at the server`;
    return differs(first, seen);
  }
  const byServer = arms.find(({ closes }) => closes === "server");
  if (byServer === undefined || !arms.some(({ closes }) => closes === "client")) {
    return notMeasured("Only one side closed first, or none without a reset (--compare, without --linger0)");
  }
  return holds(
    byServer.closed,
    "In every arm as many sockets in TIME_WAIT as connections, all at the side that closed first" +
      (arms.length === all.length ? "" : "; arms that reset are left out"),
  );
}

/** An arm with it holds no more connections, and makes no more per second, than the same arm without. */
function judgeReuseAddress(run: View): Judgement {
  const arms = armsOf(run);
  const gains: string[] = [];
  let measured: number | null = null;
  for (const arm of arms.filter(({ reuseAddress }) => reuseAddress)) {
    const plain = arms.find((other) => !other.reuseAddress && isSame(arm, other));
    if (plain === undefined) continue;
    const [held, plainHeld] = [observedConnections(arm), observedConnections(plain)];
    if (typeof held === "string" || typeof plainHeld === "string") continue;
    if (held > plainHeld) {
      return differs(held, `${arm.variant}: ${held} connections, ${plainHeld} without it`);
    }
    const [rate, plainRate] = [observedRate(arm), observedRate(plain)];
    const areRates = typeof rate !== "string" && typeof plainRate !== "string";
    if (areRates && rate.ratePerSecond > plainRate.ratePerSecond * (1 + RATE_TOLERANCE)) {
      const seen = `${arm.variant}: ${rate.ratePerSecond.toFixed(2)} connections per second, ` +
        `${plainRate.ratePerSecond.toFixed(2)} without it`;
      return differs(rate.ratePerSecond, seen, { unit: "1/s" });
    }
    measured ??= held - plainHeld;
    gains.push(
      `${arm.variant} against ${plain.variant}: ${held} and ${plainHeld} connections` +
        (areRates ? `, ${rate.ratePerSecond.toFixed(2)}/s and ${plainRate.ratePerSecond.toFixed(2)}/s` : ""),
    );
  }
  return measured === null
    ? notMeasured("There is no arm with SO_REUSEADDR and one without (--compare)")
    : holds(measured, gains.join("; "));
}

function isSame(one: Arm, other: Arm): boolean {
  return (["reuse", "destinations", "sources", "bind", "closes", "linger0"] as const)
    .every((setting) => one[setting] === other[setting]);
}
