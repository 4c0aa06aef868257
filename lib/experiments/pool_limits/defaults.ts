import type { RowOf } from "../../record/mod.ts";
import { secondsText } from "../_shared/time_text.ts";
import type { ClientName } from "./arms.ts";
import type { Pause } from "./idle_pauses.ts";
import type { Tables } from "./tables.ts";

/** The connections of two bursts, one after the other. */
export interface Bursts {
  /** Requests of each. */
  readonly concurrency: number;
  /** Connections after the first. */
  readonly first: number;
  /** Connections after the second. */
  readonly second: number;
}

/** What was seen of one client with no option given. */
export interface Observation {
  /** The client. */
  readonly client: ClientName;
  /** A connection that was used now and then. */
  readonly kept: {
    /** How long, in milliseconds. */
    readonly watchedMs: number;
    /** Requests that were made. */
    readonly requests: number;
    /** The longest time from one to the next, in milliseconds. */
    readonly longestIdleMs: number;
    /** Connections that carried them; `null` when a request failed. */
    readonly connections: number | null;
  };
  /** An attempt to connect to where no answer comes. */
  readonly connecting: {
    /** How long it was watched, or until it was given up, in milliseconds; `null` when there was no such place. */
    readonly watchedMs: number | null;
    /** What the client said when it gave up; `null` while it had not. */
    readonly error: string | null;
  };
  /** Two bursts, one after the other; `null` when requests failed, or were not under way at the same time. */
  readonly bursts: Bursts | null;
  /** The pauses after which a connection was used again, or was not, the shortest first; none when not asked. */
  readonly pauses: readonly Pause[];
  /** Limits that the client itself tells; `Infinity` is none. */
  readonly told: { readonly [S in Setting]?: number };
}

/** A setting that sources state a default of. */
export type Setting = "lifetime" | "idle timeout" | "connect timeout" | "connections" | "idle connections";

/** A row of the table of defaults. */
export type DefaultRow = RowOf<Tables["defaults"]>;

const NO_BURSTS = "Requests of a burst failed, or one was answered before the last began";

const NO_BURST_OF_ONE = "One request shows no limit (--concurrency 10)";

/** No client gives up a connection that was idle for less. */
const SHORTEST_IDLE_TIMEOUT_MS = 1000;

type Known = Pick<DefaultRow, "value" | "how" | "reason">;

/**
 * What a client does by default: what it tells itself, else what was observed, else why it is not known. A
 * limit that was not seen is `none`, and the reason says how far it was looked for.
 *
 * @param seen what was seen of the client
 * @returns a row a setting
 */
export function defaultRows(seen: Observation): DefaultRow[] {
  const observed: Readonly<Record<Setting, () => Known>> = {
    "lifetime": () => lifetime(seen),
    "idle timeout": () => idleTimeout(seen),
    "connect timeout": () => connectTimeout(seen),
    "connections": () => connections(seen),
    "idle connections": () => idleConnections(seen),
  };
  return Object.entries(observed).map(([name, observe]) => {
    const setting = name as Setting;
    const told = seen.told[setting];
    const known = observe();
    const unit = setting.includes("connections") ? "1" : "ms";
    const row = told === undefined ? known : {
      value: told === Infinity ? "none" : `${told}`,
      how: "read",
      reason: whyTold(setting, known),
    };
    const isNumber = row.value !== null && row.value !== "none";
    return { client: seen.client, setting, ...row, unit: isNumber ? unit : null };
  });
}

function whyTold(setting: Setting, { how, reason }: Known): string {
  const own = setting === "connect timeout"
    ? "Its own limit for a whole request, connecting included"
    : "Its own setting";
  return how === null ? own : `${own}; ${reason!.slice(0, 1).toLowerCase()}${reason!.slice(1)}`;
}

function lifetime({ kept: { watchedMs, requests, longestIdleMs, connections } }: Observation): Known {
  if (connections === null) return unknown("A request failed on the connection that was watched");
  const seen = `${requests} requests within ${secondsText(watchedMs)} went over ${
    plural(connections, "connection")
  }`;
  if (connections === 1) return found("none", `Not seen within ${secondsText(watchedMs)}: ${seen}`);
  return longestIdleMs < SHORTEST_IDLE_TIMEOUT_MS
    ? found(watchedMs.toFixed(0), `At most this: ${seen}`)
    : unknown(
      `${seen}, but idle for up to ${secondsText(longestIdleMs)}: that may have been its idle timeout`,
    );
}

function idleTimeout({ pauses }: Observation): Known {
  if (pauses.length === 0) return unknown("Not looked for (--observe-idle 100s)");
  if (pauses.some(({ reused }) => reused === null)) return unknown("A request after a pause failed");
  const late = pauses.findIndex(({ reused }) => !reused);
  const longest = pauses.at(-1)!.pauseMs;
  if (late < 0) return unknown(`Not seen: a connection idle for ${secondsText(longest)} was used again`);
  const { pauseMs } = pauses[late]!;
  const before = late === 0 ? 0 : pauses[late - 1]!.pauseMs;
  return found(
    pauseMs.toFixed(0),
    `At most this: used again after ${secondsText(before)}, and no more after ${secondsText(pauseMs)}`,
  );
}

function connectTimeout({ connecting: { watchedMs, error } }: Observation): Known {
  if (watchedMs === null) return unknown("This system drops no connection when an accept queue is full");
  return error === null
    ? found("none", `Not seen within ${secondsText(watchedMs)}: it still waited for an answer to its SYN`)
    : found(watchedMs.toFixed(0), `It gave up, or the system did: ${error}`);
}

function connections({ bursts }: Observation): Known {
  if (bursts === null) return unknown(NO_BURSTS);
  const { concurrency, first } = bursts;
  if (concurrency === 1) return unknown(NO_BURST_OF_ONE);
  const seen = `a burst of ${plural(concurrency, "request")} opened ${plural(first, "connection")}`;
  return first >= concurrency ? found("none", `Not seen: ${seen}`) : found(`${first}`, `Seen: ${seen}`);
}

/** The second burst uses as many connections as the first: what it did not open had been kept. */
function idleConnections({ bursts }: Observation): Known {
  if (bursts === null) return unknown(NO_BURSTS);
  const { concurrency, first, second } = bursts;
  if (concurrency === 1) return unknown(NO_BURST_OF_ONE);
  const used = Math.min(concurrency, first);
  const kept = Math.max(0, used - (second - first));
  const seen = `${kept} of ${plural(used, "connection")} of a burst were used by the next`;
  return kept === used ? found("none", `Not seen: ${seen}`) : found(`${kept}`, `Seen: ${seen}`);
}

function found(value: string, reason: string): Known {
  return { value, how: "observed", reason };
}

function unknown(reason: string): Known {
  return { value: null, how: null, reason };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
