import { type Metric, metric, type TableData } from "../../record/mod.ts";
import { quantile } from "../../stats/mod.ts";
import { timerMarginMs } from "../_shared/timer_margin.ts";
import { rangeText, secondsText } from "../_shared/time_text.ts";
import { bracketOf } from "./search.ts";
import type { Tables } from "./tables.ts";

/** The ways in which a connection that asked first can end, as the variants of `closedHow`. */
export const ENDINGS = ["fin", "reset", "answer", "none"] as const;

/** What is known of an idle limit: a number, a range, or that it lies beyond what was tried. */
interface Limit {
  readonly value: number | null;
  readonly low: number;
  readonly high: number | null;
  readonly reason: string | null;
}

/** What one probe saw. */
interface Sight {
  /** How long each connection that asked first was idle before the server closed it. */
  readonly closedMs: readonly number[];
  /** How long the other ones stayed open. */
  readonly openMs: readonly number[];
  /** Whether every answer said that the server closes. */
  readonly announcedClose: boolean;
  readonly endings: Readonly<Record<typeof ENDINGS[number], number>>;
  readonly advertisedMs: readonly number[];
  readonly connectMs: readonly number[];
  /** Pauses before the one request of a connection, and whether it was answered. */
  readonly trials: readonly { readonly pauseMs: number; readonly answered: boolean }[];
  /** The kinds of failure of requests that a pause lost. */
  readonly lost: readonly string[];
  /** How long connections that had asked nothing were idle before the server closed them. */
  readonly closedUnaskedMs: readonly number[];
  readonly tookMs: number;
}

/**
 * The metrics of `idle-limit`, from its raw rows. `low` and `high` of a limit are a range of what was seen: the
 * first and the last close, or the pauses between which the limit lies.
 *
 * @param tables the raw tables
 * @returns the metrics
 */
export function summarize(tables: { readonly [K in keyof Tables]: TableData }): Metric[] {
  const sight = see(tables.connections);
  const limit = limitOf(sight);
  const advertisedMs = least(sight.advertisedMs);
  const { lowMs } = bracketOf(sight.trials);
  return [
    metric("idleLimitMs", { ...limit, unit: "ms" }),
    metric("advertisedIdleMs", {
      value: advertisedMs,
      unit: "ms",
      reason: advertisedMs === null ? "No answer advertises a limit (Keep-Alive: timeout=)" : null,
    }),
    metric("safeClientIdleMs", {
      value: safeIdleMs(Math.min(limit.low, advertisedMs ?? Infinity), most(sight.connectMs) ?? 0),
      unit: "ms",
    }),
    metric("longestPauseMs", {
      value: lowMs === 0 ? null : lowMs,
      unit: "ms",
      reason: lowMs === 0 ? "No pause before a request was tried to its end and answered" : null,
    }),
    ...ENDINGS.map((variant) => metric("closedHow", { variant, value: sight.endings[variant], unit: "1" })),
    ...[...Map.groupBy(sight.lost, (kind) => kind)].map(([variant, { length }]) =>
      metric("lostHow", { variant, value: length, unit: "1" })
    ),
    metric("elapsedMs", { value: sight.tookMs, unit: "ms" }),
  ];
}

/**
 * The idle timeout that is safe for a client: its limit less a margin. A request meets a closed connection when
 * the server's close and the request cross, so the margin is at least a round trip each for the close and the
 * request, and a second for timers that are late on either side; of a limit under two seconds, half.
 *
 * @param limitMs the lowest limit that is known: what was observed or what is advertised, in milliseconds
 * @param roundTripMs the slowest round trip seen, in milliseconds
 * @returns the setting in milliseconds; 0 for a limit below which nothing is safe
 *
 * @example
 * ```ts
 * import { safeIdleMs } from "./summarize.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals([60_000, 1000, 0].map((limitMs) => safeIdleMs(limitMs, 1)), [59_000, 500, 0]);
 * assertEquals(safeIdleMs(60_000, 800), 58_400);
 * ```
 */
export function safeIdleMs(limitMs: number, roundTripMs: number): number {
  const marginMs = Math.max(timerMarginMs(limitMs), 2 * roundTripMs);
  return Math.max(0, limitMs - marginMs);
}

function limitOf({ announcedClose, closedMs, openMs, trials, closedUnaskedMs }: Sight): Limit {
  if (announcedClose) return { value: 0, low: 0, high: 0, reason: null };
  if (closedMs.length > 0 && openMs.length === 0) {
    return { value: quantile(closedMs, 0.5), low: least(closedMs)!, high: most(closedMs), reason: null };
  }
  const { lowMs, highMs } = bracketOf(trials);
  if (closedMs.length > 0) {
    const reason =
      `Connections differ: ${closedMs.length} of ${closedMs.length + openMs.length} were closed ` +
      `after ${rangeText(closedMs)}, the others stayed open for ${secondsText(least(openMs)!)}`;
    return {
      value: null,
      low: Math.min(least(closedMs)!, highMs === null ? Infinity : lowMs),
      high: null,
      reason,
    };
  }
  if (highMs !== null) return { value: (lowMs + highMs) / 2, low: lowMs, high: highMs, reason: null };
  const openedMs = least(openMs) ?? 0;
  const beyond = `Longer than there was time for: no connection was closed within ${secondsText(openedMs)}`;
  const unknown = closedUnaskedMs.length > 0
    ? `connections that had asked nothing were closed after ${rangeText(closedUnaskedMs)}`
    : trials.length === 0
    ? "no pause before a request could be tried"
    : null;
  if (unknown !== null) {
    const reason = `${beyond}. Whether all of them could still be used is not known, as ${unknown}`;
    return { value: null, low: openedMs, high: null, reason };
  }
  return { value: null, low: Math.min(openedMs, lowMs), high: null, reason: beyond };
}

function see(connections: TableData): Sight {
  const texts = (column: string) => connections.texts(column);
  const [roles, outcomes, hows, closes] = ["role", "outcome", "closedHow", "announcedClose"].map(texts) as [
    ...[readonly (string | null)[], readonly (string | null)[]],
    ...[readonly (string | null)[], readonly (string | null)[]],
  ];
  const kinds = texts("failureKind");
  const rows = (role: string, ...ends: string[]) =>
    [...roles.keys()].filter((row) => roles[row] === role && ends.includes(outcomes[row]!));
  const numbers = (column: string, of: readonly number[]) => {
    const values = connections.numbers(column);
    return of.map((row) => values[row]!).filter((value) => !Number.isNaN(value));
  };
  const [closed, open] = [rows("asks first", "closed"), rows("asks first", "open")];
  const asked = [...closed, ...open];
  return {
    closedMs: numbers("idleMs", closed),
    openMs: numbers("idleMs", open),
    announcedClose: asked.length > 0 && asked.every((row) => closes[row] === "true"),
    endings: Object.fromEntries(
      ENDINGS.map((ending) => [ending, asked.filter((row) => (hows[row] ?? "none") === ending).length]),
    ) as Sight["endings"],
    advertisedMs: numbers("advertisedMs", asked),
    connectMs: numbers("connectMs", asked),
    trials: [true, false].flatMap((answered) =>
      numbers("idleMs", rows("waits first", answered ? "answered" : "lost"))
        .map((pauseMs) => ({ pauseMs, answered }))
    ),
    lost: rows("waits first", "lost").map((row) => kinds[row] ?? "unknown"),
    closedUnaskedMs: numbers("idleMs", rows("waits first", "closed")),
    tookMs: most(numbers("endMs", [...roles.keys()])) ?? 0,
  };
}

function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

function most(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}
