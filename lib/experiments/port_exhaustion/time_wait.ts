import type { TableData } from "../../record/mod.ts";

/** How long the sockets of one side were in TIME_WAIT, each from its own close. */
export interface TimeWaitTimes {
  /** The side. */
  readonly side: "client" | "server";
  /** How many were followed to their end. */
  readonly sockets: number;
  /** How many were followed, and their end was not seen. */
  readonly unfinished: number;
  /** The mean: each ended between two looks, in their middle as far as is known. */
  readonly meanMs: number;
  /** The shortest that one was seen to last: until it was gone. */
  readonly shortestMs: number;
  /** The longest: until it was last there. */
  readonly longestMs: number;
  /** The longest time between two looks in which one ended. */
  readonly resolutionMs: number;
}

/** How long one socket was in TIME_WAIT, from its own close. */
export interface FollowedTime {
  /** The side that it was on. */
  readonly side: "client" | "server";
  /** When it was closed, in milliseconds. */
  readonly closedMs: number;
  /** How long it was seen to be there. */
  readonly atLeastMs: number;
  /** After how long it was seen to be gone. */
  readonly atMostMs: number;
}

/**
 * How long each socket stayed in TIME_WAIT.
 *
 * @param followed a row a socket: `side`, `closedMs`, `lastSeenMs`, `goneMs`
 * @returns the times of those that were followed to their end, in order
 */
export function followedTimes(followed: TableData): FollowedTime[] {
  return [...followed.rows()].flatMap(({ side, closedMs, lastSeenMs, goneMs }) => {
    if (typeof closedMs !== "number" || typeof lastSeenMs !== "number" || typeof goneMs !== "number") {
      return [];
    }
    return [{
      ...{ side: side as FollowedTime["side"], closedMs },
      ...{ atLeastMs: lastSeenMs - closedMs, atMostMs: goneMs - closedMs },
    }];
  });
}

/**
 * How long the sockets of each side stayed in TIME_WAIT.
 *
 * @param followed a row a socket: `side`, `closedMs`, `lastSeenMs`, `goneMs`
 * @returns the times of each side of which a socket was followed to its end
 */
export function timeWaitTimes(followed: TableData): TimeWaitTimes[] {
  const times = followedTimes(followed);
  const sides = followed.texts("side");
  return (["client", "server"] as const).flatMap((side) => {
    const own = times.filter((one) => one.side === side);
    if (own.length === 0) return [];
    const sum = own.reduce((total, { atLeastMs, atMostMs }) => total + (atLeastMs + atMostMs) / 2, 0);
    return [{
      side,
      sockets: own.length,
      unfinished: sides.filter((one) => one === side).length - own.length,
      meanMs: sum / own.length,
      shortestMs: Math.min(...own.map(({ atMostMs }) => atMostMs)),
      longestMs: Math.max(...own.map(({ atLeastMs }) => atLeastMs)),
      resolutionMs: Math.max(...own.map(({ atLeastMs, atMostMs }) => atMostMs - atLeastMs)),
    }];
  });
}
