/** How much longer than it says `node:http` keeps an idle connection, in milliseconds: `keepAliveTimeoutBuffer`. */
export const NODE_BUFFER_MS = 1000;

/** How near to a limit an idle time may be, in milliseconds, before either outcome is right. */
export const AT_LIMIT_MS = 75;

const AROUND_A_LIMIT = [0.5, 0.8, 0.9, 1.1, 1.25, 2];
// A client that is safe is safe at any longer pause too: one shorter shows that it keeps connections at all.
const BELOW_THE_SAFE = [0.5];
const AROUND_THE_CLOSE = [0.9, 1.1, 1.5];
const ALIKE_SHARE = 0.03;

/** What decides how long a connection may be idle. */
export interface IdleLimits {
  /** The server's keep-alive, in milliseconds; `null` for a server that has none. */
  readonly serverIdle: number | null;
  /** The client's idle timeout, in milliseconds. */
  readonly clientIdle: number;
  /** The middlebox's limit, in milliseconds; `null` without a middlebox. */
  readonly middleboxIdle: number | null;
  /** The idle timeout with which a client is safe, in milliseconds; `null` where nothing has a limit. */
  readonly safeClientIdle: number | null;
}

/**
 * Every time at which somebody ends an idle connection, in milliseconds.
 *
 * @param limits the settings
 * @returns the times, the server's both as it says and as it does
 */
export function limitsOf({ serverIdle, clientIdle, middleboxIdle, safeClientIdle }: IdleLimits): number[] {
  const closedMs = serverIdle === null ? null : serverIdle + NODE_BUFFER_MS;
  return [serverIdle, closedMs, clientIdle, middleboxIdle, safeClientIdle].filter((limit) => limit !== null);
}

/**
 * Whether an idle time is so near to a limit that timers decide what happens.
 *
 * @param idleMs how long a connection was idle, in milliseconds
 * @param limits the limits, in milliseconds
 * @returns `true` when it is
 */
export function isAtLimit(idleMs: number, limits: readonly number[]): boolean {
  return limits.some((limitMs) => Math.abs(idleMs - limitMs) <= AT_LIMIT_MS);
}

/**
 * Pauses on either side of every limit, none at a limit itself.
 *
 * @param limits the settings
 * @param longestMs the longest pause, in milliseconds
 * @returns the pauses, in milliseconds, from short to long; none when every limit is too long
 */
export function pausesAround(limits: IdleLimits, longestMs: number): number[] {
  const { serverIdle, clientIdle, middleboxIdle, safeClientIdle } = limits;
  const settings = [serverIdle, clientIdle, middleboxIdle].filter((limit) => limit !== null);
  const wanted = [
    ...settings.flatMap((limitMs) => AROUND_A_LIMIT.map((factor) => factor * limitMs)),
    ...(safeClientIdle === null ? [] : BELOW_THE_SAFE.map((factor) => factor * safeClientIdle)),
    ...(serverIdle === null ? [] : AROUND_THE_CLOSE.map((factor) => factor * (serverIdle + NODE_BUFFER_MS))),
  ];
  const ends = limitsOf(limits);
  const possible = wanted.map(Math.round).filter((pauseMs) =>
    pauseMs > 0 && pauseMs <= longestMs && !isAtLimit(pauseMs, ends)
  );
  return possible.sort((one, other) => one - other)
    .filter((pauseMs, index, sorted) => index === 0 || pauseMs > sorted[index - 1]! * (1 + ALIKE_SHARE));
}
