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
}

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
  if (limit === undefined) return `No verdict: the probe was not completed (${run.id})`;
  const counts = ENDINGS.map((ending) => [ending, find("closedHow", ending)!.value!] as const);
  const subject = run.params.target ?? `the lab's own server (${run.params.stack})`;
  const advertisedMs = find("advertisedIdleMs")!.value;
  const rows: [string, string][] = [
    ["observed", observedText(limit, counts)],
    ["advertised", advertisedMs === null ? "nothing" : `${secondsText(advertisedMs)} (Keep-Alive: timeout=)`],
    ["verdict", verdictText(limit, counts, advertisedMs)],
    ["safe setting", safeText(find("safeClientIdleMs")!.value!)],
    ["took", `${secondsText(find("elapsedMs")!.value!)}; ${run.id}`],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(12)}  ${text}`);
  return [`Idle limit of ${subject}`, ...lines].join("\n");
}

type Counts = readonly (readonly [(typeof ENDINGS)[number], number])[];

function observedText({ value, low, high, reason }: Metric, counts: Counts): string {
  if (value === null) return reason!;
  if (high === 0) return "every answer says that the server closes the connection";
  const range = rangeText([low!, high!]);
  if (!isSeen(counts)) {
    return `lost after ${range}: a connection that was idle for as long did not answer its first request, ` +
      "and a fresh one did";
  }
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const how = counts.filter(([ending, count]) => ending !== "none" && count > 0)
    .map(([ending, count]) => `${count} of ${total} ${BY[ending]}`);
  const spread = range === secondsText(value) ? "" : ` (${range})`;
  return `closed after ${secondsText(value)}${spread}, ${how.join(", ")}`;
}

function verdictText({ value, low, high }: Metric, counts: Counts, advertisedMs: number | null): string {
  if (high === 0) return "the server keeps no connection";
  if (value === null) {
    return isSeen(counts)
      ? "there is no one limit: connections are closed unlike each other"
      : "no limit was found";
  }
  if (!isSeen(counts)) return "something forgets idle connections without a sign: the next request is lost";
  if (advertisedMs === null) return "idle connections are closed, and the server does not say when";
  return low! < advertisedMs
    ? "connections are closed sooner than the server says: a client that believes it meets closed ones"
    : "connections are kept for as long as the server says";
}

function safeText(safeMs: number): string {
  return safeMs === 0
    ? "keep no connection: there is no idle time after which one is safe to use"
    : `a client idle timeout of at most ${secondsText(safeMs)}`;
}

/** Whether the server showed the end of a connection. */
function isSeen(counts: Counts): boolean {
  return counts.some(([ending, count]) => ending !== "none" && count > 0);
}
