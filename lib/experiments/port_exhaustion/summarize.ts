import {
  type FailureName,
  type Metric,
  metric,
  type Side,
  type TableData,
  type Unit,
} from "../../record/mod.ts";
import { kindName } from "../_shared/kind_name.ts";
import { type ArmRows, armRows, type FailedTries, PORT_FAILURES } from "./arm_rows.ts";
import type { Values } from "./params.ts";
import { observedRate } from "./rate.ts";
import type { Tables } from "./tables.ts";
import { timeWaitTimes } from "./time_wait.ts";

/** Why nothing that waits for TIME_WAIT was measured. */
export const NOT_WATCHED = "TIME_WAIT was not waited for (--watch-time-wait)";

/**
 * The metrics of `port-exhaustion`, from its raw rows. What stands beside a rate is that of the slowest and of the
 * fastest port; beside a time in TIME_WAIT, the shortest and the longest.
 *
 * @param tables the raw tables
 * @param params the parameters
 * @returns the metrics, arm by arm, then those of the failures that were provoked and of TIME_WAIT
 */
export function summarize(
  tables: { readonly [K in keyof Tables]: TableData },
  params: Pick<Values, "watchTimeWait">,
): Metric[] {
  const arms = armRows(tables);
  const kinds = kindsOf(arms.flatMap(failuresOf));
  return [
    ...arms.flatMap((arm) => armMetrics(arm, params, kinds)),
    ...provokedMetrics(tables.provoked),
    ...timeWaitMetrics(tables.followed, params),
  ];
}

/**
 * How many connections an arm held at once.
 *
 * @param arm the arm
 * @returns the count, or why it is not the ports' limit
 */
export function observedConnections({ hold }: ArmRows): number | string {
  const other = hold.failures.find(({ kind }) => !PORT_FAILURES.has(kind));
  if (other !== undefined) return `Another limit than ports was met: ${other.kind}`;
  return hold.connections.length;
}

/**
 * All failures of an arm.
 *
 * @param arm the arm
 * @returns them, in order
 */
export function failuresOf({ hold, turnover }: ArmRows): FailedTries[] {
  return [...hold.failures, ...turnover?.failures ?? []];
}

/** A number, or why there is none. */
type Told = number | string;

function tell(name: string, variant: string, told: Told, unit: Unit = "1"): Metric {
  return typeof told === "string"
    ? metric(name, { variant, unit, value: null, reason: told })
    : metric(name, { variant, unit, value: told });
}

function armMetrics(
  arm: ArmRows,
  { watchTimeWait }: Pick<Values, "watchTimeWait">,
  kinds: readonly KindOfSide[],
): Metric[] {
  const { variant, predicted, predictedOverNetwork, timeWaitPresetMs } = arm;
  const unbounded = "Ports do not bound it: no client's socket is in TIME_WAIT";
  const rate = predicted.heldMs === timeWaitPresetMs && !watchTimeWait ? NOT_WATCHED : observedRate(arm);
  const failures = failuresOf(arm);
  return [
    tell("predictedConnections", variant, predicted.connections),
    tell("observedConnections", variant, observedConnections(arm)),
    tell("predictedRatePerSecond", variant, predicted.sustainedRatePerSecond ?? unbounded, "1/s"),
    typeof rate === "string"
      ? tell("observedRatePerSecond", variant, rate, "1/s")
      : metric("observedRatePerSecond", {
        ...{ variant, unit: "1/s", value: rate.ratePerSecond, low: rate.low, high: rate.high },
      }),
    ...(arm.reuse === 2
      ? [
        tell(
          "realLinkRatePerSecond",
          variant,
          predictedOverNetwork.sustainedRatePerSecond ?? unbounded,
          "1/s",
        ),
      ]
      : []),
    tell("timeWaitClient", variant, arm.timeWaitClient),
    tell("timeWaitServer", variant, arm.timeWaitServer),
    ...kinds.map((one) => tell(one.name, variant, sumOf(failures, one))),
  ];
}

/** A kind of failure on a side. */
interface KindOfSide {
  readonly kind: FailureName;
  readonly side: Side;
  /** The name of its count, such as `localPortsExhaustedClient`. */
  readonly name: string;
}

function kindsOf(failures: readonly Omit<FailedTries, "tries">[]): KindOfSide[] {
  const named = failures.map(({ kind, side }) => [kindName(kind, side), { kind, side }] as const);
  return [...new Map(named)].map(([name, one]) => ({ name, ...one }))
    .sort((left, right) => left.name < right.name ? -1 : 1);
}

function sumOf(failures: readonly FailedTries[], wanted: Omit<FailedTries, "tries">): number {
  return failures.filter(({ kind, side }) => kind === wanted.kind && side === wanted.side)
    .reduce((sum, { tries }) => sum + tries, 0);
}

function provokedMetrics(provoked: TableData): Metric[] {
  const kinds = provoked.texts("failureKind");
  const sides = provoked.texts("failureSide");
  const failures = [...kinds.keys()].filter((row) => kinds[row] !== null)
    .map((row) => ({ kind: kinds[row] as FailureName, side: sides[row] as Side, tries: 1 }));
  return kindsOf(failures).map((one) => tell(one.name, "provoked", sumOf(failures, one)));
}

function timeWaitMetrics(followed: TableData, { watchTimeWait }: Pick<Values, "watchTimeWait">): Metric[] {
  const times = timeWaitTimes(followed);
  return (["client", "server"] as const).flatMap((side) => {
    const own = times.find((one) => one.side === side);
    if (own === undefined) {
      const reason = watchTimeWait ? "No socket was followed to its end" : NOT_WATCHED;
      return [tell("timeWaitMs", side, reason, "ms"), tell("timeWaitResolutionMs", side, reason, "ms")];
    }
    const { meanMs, shortestMs, longestMs, resolutionMs } = own;
    return [
      metric("timeWaitMs", {
        ...{ variant: side, unit: "ms", value: meanMs },
        low: Math.min(shortestMs, longestMs),
        high: Math.max(shortestMs, longestMs),
      }),
      tell("timeWaitResolutionMs", side, resolutionMs, "ms"),
    ];
  });
}
