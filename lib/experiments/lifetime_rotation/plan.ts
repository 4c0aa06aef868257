import { includes, type Values } from "./params.ts";
import { costVariants, jitters } from "./variants.ts";

/** How long after its beginning the name of blue-green moves, and until when requests are made. */
export interface MovePlan {
  /** When the name moves, in milliseconds. */
  readonly moveMs: number;
  /** When the last request may begin, in milliseconds. */
  readonly endMs: number;
}

/**
 * When the name of blue-green moves: each pool opens one more connection at every interval until it has all of
 * them, and the name moves after the last, in between two requests. Requests go on for two intervals more than
 * the last connection may live.
 *
 * @param values the parameters
 * @returns times since its beginning, in the experiment's milliseconds
 */
export function movePlan({ clients, interval, lifetime }: Values): MovePlan {
  const moveMs = (clients - 0.25) * interval;
  return { moveMs, endMs: moveMs + lifetime + 2 * interval };
}

/** How many requests a busy connection of blue-green carries within an interval, at least. */
const BUSY_REQUESTS = 4;

/** The longest that one of them takes, in real milliseconds: far less than a request may take. */
const LONGEST_ANSWER_MS = 1000;

/**
 * How long the server takes to answer a request over a busy connection of blue-green.
 *
 * @param values the parameters
 * @returns real milliseconds
 */
export function busyAnswerMs({ interval, speed }: Pick<Values, "interval" | "speed">): number {
  return Math.min(LONGEST_ANSWER_MS, Math.max(1, Math.round(interval / speed / BUSY_REQUESTS)));
}

/** How many lifetimes the reconnects of sweep are followed: two waves, and what becomes of them. */
const WATCHED_LIFETIMES = 2.5;

/**
 * How long each part takes that goes by the clock, in the experiment's milliseconds.
 *
 * @param values the parameters
 * @returns the longest of those that are measured: they run side by side
 */
export function scheduledMs(values: Values): number {
  return Math.max(
    includes(values, "rotation") ? (values.requests - 1) * values.interval : 0,
    includes(values, "blue-green") ? movePlan(values).endMs : 0,
    includes(values, "sweep") ? watchMs(values) : 0,
  );
}

/**
 * How long the reconnects of sweep are followed, in the experiment's milliseconds.
 *
 * @param values the parameters
 */
export function watchMs({ lifetime }: Pick<Values, "lifetime">): number {
  return WATCHED_LIFETIMES * lifetime;
}

/** Time from one look at the connections of sweep to the next, in the experiment's milliseconds. */
export const TICK_MS = 20;

/** The shortest block whose cost is measured, in milliseconds. */
const LEAST_BLOCK_MS = 100;

/**
 * How long a block of requests lasts whose cost is measured: two of the longest lifetimes.
 *
 * @param values the parameters
 * @returns real milliseconds
 */
export function blockMs({ sweepLifetimes }: Pick<Values, "sweepLifetimes">): number {
  return Math.max(LEAST_BLOCK_MS, 2 * Math.max(...sweepLifetimes));
}

/**
 * How many connections sweep opens, to one address and port: each lifetime one, for every connection and block.
 *
 * @param values the parameters
 * @returns the most that there can be
 */
export function sweepConnections(values: Values): number {
  const { connections, rounds } = values;
  const looks = watchMs(values) / TICK_MS + 1;
  const aged = jitters(values).map((jitter) => Math.min(looks, WATCHED_LIFETIMES / (1 - jitter) + 1));
  const blocks = [...costVariants(values).values()].map((lifetimeMs) => 2 + blockMs(values) / lifetimeMs);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + Math.ceil(count), 0);
  return connections * sum(aged) + (rounds + 1) * sum(blocks);
}
