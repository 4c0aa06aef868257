import { type Metric, metric, type TableData } from "../../record/mod.ts";
import { bootstrapMean, randomSource } from "../../stats/mod.ts";
import {
  type Arm,
  armsOf,
  countMetric,
  elapsedMetric,
  newAgainstShared,
  whyNoTimes,
} from "../_shared/arms.ts";
import { rowsByVariant } from "../_shared/variant_rows.ts";
import { whyUnlike } from "./spoken.ts";
import type { Tables } from "./tables.ts";
import { type Asked, askedVariants, PAIRS, partsOf, type Variant, whySkipped } from "./variants.ts";

type RunTables = { readonly [K in keyof Tables]: TableData };

/** The phases that have a metric of their own, with the phases that each is the sum of. */
const PHASE_METRICS = {
  connectMs: ["connectMs"],
  handshakeMs: ["connectMs", "tlsMs"],
  tlsMs: ["tlsMs"],
} as const;

const HIDDEN = "The client fetch does not show it";

/**
 * The metrics of `tls-vs-plain`, from its raw rows. Intervals are 95 % percentile bootstraps over rounds, the
 * ratio over pairs of rounds. Times of a connection are means over those that were opened, round by round.
 * What could not be measured has a metric too, with the reason.
 *
 * @param tables the raw tables
 * @param asked the parameters
 * @param seed the seed of the resampling
 * @returns the metrics
 */
export function summarize(tables: RunTables, asked: Asked, seed: number): Metric[] {
  const arms = armsOf(tables.rounds, tables.requests);
  const random = randomSource(seed);
  const phases = phaseTimes(tables.requests);
  const refuse = (pair: readonly Arm[]) =>
    whyNoTimes(pair) ?? whyUnlike(tables.rounds, pair.map(({ variant }) => variant));
  return [
    ...askedVariants(asked).flatMap((variant) => {
      const arm = arms.find((arm) => arm.variant === variant);
      if (arm !== undefined) return armMetrics(arm, phases, random);
      return missingMetrics(variant, whySkipped(variant, asked) ?? "No round was completed");
    }),
    ...PAIRS.filter((pair) => askedVariants(asked).some((variant) => variant.startsWith(`${pair}/`)))
      .flatMap((pair) => {
        const made = newAgainstShared(pair, { arms, random, refuse });
        if (made.length > 0) return made;
        const reason = `Not compared: ${whySkipped(`${pair}/new`, asked) ?? "no round was completed"}`;
        return [
          metric("elapsedRatio", { variant: pair, value: null, unit: "1", reason }),
          metric("addedPerRequestMs", { variant: pair, value: null, unit: "ms", reason }),
        ];
      }),
  ];
}

function armMetrics(arm: Arm, phases: PhaseTimes, random: () => number): Metric[] {
  const { variant } = arm;
  const handshakes = { reasonColumn: "handshakesReason" };
  return [
    countMetric(arm, { name: "requests", column: "requests" }),
    metric("failed", { variant, value: arm.failed, unit: "1" }),
    countMetric(arm, { name: "connections", column: "connections", reasonColumn: "connectionsReason" }),
    elapsedMetric(arm, random),
    phaseMetric("connectMs", arm, phases, random),
    phaseMetric("handshakeMs", arm, phases, random),
    ...(partsOf(variant).transport === "tls"
      ? [
        phaseMetric("tlsMs", arm, phases, random),
        countMetric(arm, { name: "handshakesFull", column: "handshakesFull", ...handshakes }),
        countMetric(arm, { name: "handshakesResumed", column: "handshakesResumed", ...handshakes }),
      ]
      : []),
  ];
}

/** The same metrics of a variant that was not measured. */
function missingMetrics(variant: Variant, reason: string): Metric[] {
  const none = (unit: "ms" | "1") => (name: string) => metric(name, { variant, value: null, unit, reason });
  const overTls = partsOf(variant).transport === "tls";
  return [
    ...["requests", "failed", "connections"].map(none("1")),
    ...["elapsedMs", "connectMs", "handshakeMs"].map(none("ms")),
    ...(overTls ? [none("ms")("tlsMs")] : []),
    ...(overTls ? ["handshakesFull", "handshakesResumed"].map(none("1")) : []),
  ];
}

/** Of each variant, round by round: the mean time that opening a connection spent in some phases. */
type PhaseTimes = (variant: string, phases: readonly string[]) => number[];

function phaseTimes(requests: TableData): PhaseTimes {
  const rounds = requests.numbers("round");
  const byVariant = rowsByVariant(requests);
  return (variant, phases) => {
    const columns = phases.map((phase) => requests.numbers(phase));
    const byRound = Map.groupBy(byVariant.get(variant) ?? [], (row) => rounds[row]!);
    return [...byRound.values()].flatMap((rows) => {
      // A plain connection has no TLS phase, and a request on a kept connection opened none.
      const times = rows
        .map((row) => columns.map((column) => column[row]!).filter((time) => !Number.isNaN(time)))
        .filter((spent) => spent.length > 0)
        .map((spent) => spent.reduce((total, time) => total + time, 0));
      return times.length === 0 ? [] : [times.reduce((total, time) => total + time, 0) / times.length];
    });
  };
}

function phaseMetric(
  name: keyof typeof PHASE_METRICS,
  arm: Arm,
  phases: PhaseTimes,
  random: () => number,
): Metric {
  const { variant } = arm;
  const none = (reason: string) => metric(name, { variant, value: null, unit: "ms", reason });
  if (partsOf(variant).client === "fetch") return none(HIDDEN);
  const reason = whyNoTimes([arm]);
  if (reason !== null) return none(reason);
  const times = phases(variant, PHASE_METRICS[name]);
  if (times.length === 0) return none("No connection was opened in a round that counts");
  return metric(name, { variant, unit: "ms", ...bootstrapMean(times, { random }) });
}
