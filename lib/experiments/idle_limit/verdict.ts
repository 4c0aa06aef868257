import type { Metric } from "../../record/mod.ts";
import { rangeText, secondsText } from "../_shared/time_text.ts";
import { ENDINGS } from "./summarize.ts";

const BY: Readonly<Record<(typeof ENDINGS)[number], string>> = {
  fin: "by FIN",
  reset: "by a reset",
  answer: "with an answer that nobody had asked for",
  none: "",
};

/** A run of `idle-limit`, as far as its verdict needs it. */
export interface Probed {
  /** `<experiment>/<run id>`. */
  readonly id: string;
  /** The metrics. */
  readonly summary: readonly Metric[];
  /** The resolved parameters. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Why it was not completed. @default {null} */
  readonly reason?: string | null;
}

/** Up to here, timers that are late explain why a server closes after the time that it says, in milliseconds. */
const AS_SAID_MS = 250;

/** To what the difference is rounded, in milliseconds: it is the time of one timer less that of another. */
const ROUGHLY_MS = 100;

/** To what a setting is rounded down, in milliseconds. */
const SETTING_STEP_MS = 10;

/**
 * What a probe found, for people: what was observed, what is advertised, and the setting of a client that is
 * safe.
 *
 * @param run a run of `idle-limit`; one without a summary was not completed
 * @returns the lines
 */
export function describeVerdict(run: Probed): string {
  const find = (name: string, variant: string | null = null) =>
    run.summary.find((metric) => metric.name === name && metric.variant === variant);
  const limit = find("idleLimitMs");
  if (limit === undefined) {
    const because = run.reason ? `: ${run.reason}` : "";
    return `No verdict: the probe was not completed (${run.id})${because}`;
  }
  const counts = ENDINGS.map((ending) => [ending, find("closedHow", ending)!.value!] as const);
  const lost = run.summary.flatMap(({ name, variant }) => name === "lostHow" ? [variant!] : []);
  const subject = run.params.target ?? `the lab's own server (${run.params.stack})`;
  const advertisedMs = find("advertisedIdleMs")!.value;
  const rows: [string, string][] = [
    ["observed", observedText(limit, counts, lost)],
    ["advertised", advertisedMs === null ? "nothing" : `${secondsText(advertisedMs)} (Keep-Alive: timeout=)`],
    ["verdict", verdictText(limit, { counts, lost, advertisedMs })],
    ["safe setting", safeText(find("safeClientIdleMs")!.value!)],
    ["took", `${secondsText(find("elapsedMs")!.value!)}; ${run.id}`],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(12)}  ${text}`);
  return [`Idle limit of ${subject}`, ...lines].join("\n");
}

type Counts = readonly (readonly [(typeof ENDINGS)[number], number])[];

function observedText(
  { value, low, high, reason }: Metric,
  counts: Counts,
  lost: readonly string[],
): string {
  if (value === null) return reason!;
  if (high === 0) return "every answer says that the server closes the connection";
  const range = rangeText([low!, high!]);
  if (!isSeen(counts)) {
    return `lost after ${range}: the first request of a connection that was idle for as long ` +
      `${lostText(lost)}, and that of a fresh one was answered`;
  }
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const how = counts.filter(([ending, count]) => ending !== "none" && count > 0)
    .map(([ending, count]) => `${count} of ${total} ${BY[ending]}`);
  const spread = range === secondsText(value) ? "" : ` (${range})`;
  return `closed after ${secondsText(value)}${spread}, ${how.join(", ")}`;
}

const LOST: Readonly<Record<string, string>> = { reset: "was reset", "timed-out": "timed out" };

/** How requests fared that a pause lost: a reset is an answer, silence is none. */
function lostText(kinds: readonly string[]): string {
  return kinds.map((kind) => LOST[kind] ?? `failed (${kind})`).join(" or ");
}

/** What a verdict rests on beside the limit. */
interface Signs {
  readonly counts: Counts;
  /** The kinds of failure of requests that a pause lost. */
  readonly lost: readonly string[];
  readonly advertisedMs: number | null;
}

function verdictText({ value, low, high }: Metric, { counts, lost, advertisedMs }: Signs): string {
  if (high === 0) return "the server keeps no connection";
  if (value === null) {
    return isSeen(counts)
      ? "there is no one limit: connections are closed unlike each other"
      : "no limit was found";
  }
  if (!isSeen(counts)) {
    return `something forgets idle connections without a sign before the next request, which ${
      lostText(lost)
    }`;
  }
  if (advertisedMs === null) return "idle connections are closed, and the server does not say when";
  if (low! < advertisedMs) {
    return "connections are closed sooner than the server says: a client that believes it meets closed ones";
  }
  const longerMs = value - advertisedMs;
  return longerMs > AS_SAID_MS
    ? `connections are kept about ${
      secondsText(Math.round(longerMs / ROUGHLY_MS) * ROUGHLY_MS)
    } longer than the ` +
      "server says: do not rely on it"
    : "connections are kept for as long as the server says";
}

function safeText(safeMs: number): string {
  const settingMs = Math.floor(safeMs / SETTING_STEP_MS) * SETTING_STEP_MS;
  return settingMs === 0
    ? "keep no connection: there is no idle time after which one is safe to use"
    : `a client idle timeout of at most ${secondsText(settingMs)}`;
}

/** Whether the server showed the end of a connection. */
function isSeen(counts: Counts): boolean {
  return counts.some(([ending, count]) => ending !== "none" && count > 0);
}
