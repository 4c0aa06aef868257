import { type Metric, metric, type MetricOptions, type TableData } from "../../record/mod.ts";
import { changePoint, summary } from "../../stats/mod.ts";
import { type ArmRows, armRows, connected } from "./arm_rows.ts";
import { attemptsAtUse } from "./attempts.ts";
import { compareParities, type Parity, timesOf } from "./parity.ts";
import { protocolOf } from "./strategies.ts";
import type { Tables } from "./tables.ts";

/** The shares of the range in use at which the attempts of one's own choice are told, and how wide each part is. */
const ATTEMPTS_TOLD_AT = [0.25, 0.5, 0.75, 0.9] as const;
const PART_WIDTH = 0.02;

const ONE_PARITY = "All ports have one parity";

const NO_STEP = "There is no step";

/** The least share of the range on either side of a step: with less it is the beginning or the end that differs. */
const LEAST_SIDE = 0.2;

/** A step in the time of connects. */
export interface Step {
  /** The share of the range in use at the step. */
  readonly atShare: number;
  /** By how much connects are slower from there on: the ratio of the medians. */
  readonly ratio: number;
  /** The time that stands between the two levels, in milliseconds: their geometric mean. */
  readonly betweenMs: number;
}

/**
 * The metrics of `port-selection`, from its raw rows.
 *
 * @param tables the raw tables
 * @returns the metrics, arm by arm
 */
export function summarize(tables: { readonly [K in keyof Tables]: TableData }): Metric[] {
  const arms = armRows(tables);
  const kinds = [...new Set(arms.flatMap(({ results }) => results))].filter((result) => result !== "ok")
    .sort();
  const plain = arms.find(({ variant, strategy }) => variant === strategy && strategy === "plain");
  const slowFromMs = plain === undefined ? null : stepOf(plain)?.betweenMs ?? null;
  return arms.flatMap((arm) => armMetrics(arm, { kinds, slowFromMs }));
}

/**
 * The step of an arm.
 *
 * @param arm the arm
 * @returns the step; `null` when there is none
 */
export function stepOf(arm: ArmRows): Step | null {
  const step = stepOrReason(arm);
  return typeof step === "string" ? null : step;
}

/** The step, or why there is none: a level that changes close to either end of the range is no step in it. */
function stepOrReason(arm: ArmRows): Step | string {
  const places = connected(arm);
  if (places.length === 0) return NO_STEP;
  const change = changePoint(places.map((place) => arm.connectMs[place]!));
  if (change === null) return NO_STEP;
  const { index, ratio, before, after } = change;
  const atShare = arm.uses[places[index]!]!;
  const changes = `It ${ratio > 1 ? "rises" : "falls"} only at the`;
  if (atShare > 1 - LEAST_SIDE) return `${changes} end`;
  if (atShare < LEAST_SIDE) return `${changes} beginning`;
  return { atShare, ratio, betweenMs: Math.sqrt(before * after) };
}

/**
 * The share of connections that are slow, of the first ones.
 *
 * @param arm the arm
 * @param slowFromMs the time from which one is slow, in milliseconds
 * @param count how many of the first connections count. @default {all}
 * @returns the share
 */
export function slowShareOf(arm: ArmRows, slowFromMs: number, count: number = Infinity): number {
  const places = connected(arm).slice(0, count);
  return places.filter((place) => arm.connectMs[place]! >= slowFromMs).length / places.length;
}

/**
 * How many ports more than one socket of an arm has, from one source.
 *
 * @param arm the arm
 * @returns how many
 */
export function portsInDoubleUse(arm: ArmRows): number {
  const owners = Map.groupBy(connected(arm), (place) => `${place % arm.sources} ${arm.ports[place]}`);
  return [...owners.values()].filter((places) => places.length > 1).length;
}

interface ArmOptions {
  readonly kinds: readonly string[];
  readonly slowFromMs: number | null;
}

function armMetrics(arm: ArmRows, { kinds, slowFromMs }: ArmOptions): Metric[] {
  const { variant, reason, strategy } = arm;
  // An arm that was not measured, or of which nothing came, has the reason in place of every number.
  const none = reason ?? (arm.results.length === 0 ? "It was not reached" : null);
  const tell = (name: string, unit: MetricOptions["unit"], value: () => number | string) => {
    const told = none ?? value();
    return typeof told === "string"
      ? metric(name, { variant, unit, value: null, reason: told })
      : metric(name, { variant, unit, value: told });
  };
  const good = connected(arm).length;
  const failed = arm.results.length - good;
  const perSecond = (count: number) =>
    arm.elapsedMs === null ? "The arm was not finished" : count / (arm.elapsedMs / 1000);
  const step = none ?? stepOrReason(arm);
  const parities = none === null ? compareParities(arm) : null;
  const tried = arm.attempts.reduce((sum, attempts) => sum + attempts, 0);
  return [
    tell("connections", "1", () => good),
    tell("errors", "1", () => failed),
    ...kinds.map((kind) =>
      tell(countName(kind), "1", () => arm.results.filter((one) => one === kind).length)
    ),
    ...(["even", "odd"] as const).flatMap((parity) => timeMetrics(arm, parity, tell)),
    tell("parityRatio", "1", () => parities?.ratio ?? ONE_PARITY),
    tell("parityRatioP50", "1", () => parities?.ratioP50 ?? ONE_PARITY),
    tell("stepAtShare", "1", () => typeof step === "string" ? step : step.atShare),
    tell("stepRatio", "1", () => typeof step === "string" ? step : step.ratio),
    tell("connectionsPerSecond", "1/s", () => perSecond(good)),
    tell("attemptsPerSecond", "1/s", () => perSecond(tried)),
    tell("attemptsPerConnection", "1", () => good === 0 ? "There was no connection" : tried / good),
    ...(strategy === "plain"
      ? [
        tell("slowShare", "1", () =>
          slowFromMs === null ? "Strategy plain has no step" : slowShareOf(arm, slowFromMs)),
      ]
      : []),
    ...(protocolOf(strategy) === "udp" ? [tell("portsInDoubleUse", "1", () => portsInDoubleUse(arm))] : []),
    ...(strategy === "select-test-repeat" && none === null ? attemptMetrics(arm) : []),
  ];
}

/** The name of a count of failures, such as `localPortsExhausted`. */
function countName(kind: string): string {
  return kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

type Tell = (name: string, unit: MetricOptions["unit"], value: () => number | string) => Metric;

function timeMetrics(arm: ArmRows, parity: Parity, tell: Tell): Metric[] {
  const times = timesOf(arm, parity);
  const name = `connect${parity === "even" ? "Even" : "Odd"}`;
  const of = (value: () => number) => () => times.length === 0 ? `No port was ${parity}` : value();
  return [
    tell(`${name}Ms`, "ms", of(() => summary(times).mean)),
    tell(`${name}P50Ms`, "ms", of(() => summary(times).median)),
    tell(`${name}P99Ms`, "ms", of(() => summary(times).p99)),
  ];
}

function attemptMetrics(arm: ArmRows): Metric[] {
  const parts = attemptsAtUse(arm, PART_WIDTH);
  return ATTEMPTS_TOLD_AT.flatMap((share) => {
    const part = parts.find(({ use }) => Math.abs(use - share) <= PART_WIDTH / 2 + 1e-9);
    if (part === undefined) return [];
    const variant = `${arm.variant} at ${share * 100} %`;
    return [
      metric("attemptsAtUse", { variant, unit: "1", value: part.attempts }),
      metric("expectedAttemptsAtUse", { variant, unit: "1", value: part.expected }),
    ];
  });
}
