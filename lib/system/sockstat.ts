const TIME_WAIT_COUNT = /^TCP:.* tw (\d+)/m;

/**
 * How many sockets are in TIME_WAIT, from the text of `/proc/net/sockstat`. IPv6 is counted in.
 *
 * Source: Linux, `net/ipv4/proc.c` (`sockstat_seq_show`).
 *
 * @param text the text of the file
 * @returns the count
 * @throws {RangeError} the text does not say
 *
 * @example
 * ```ts
 * import { parseTimeWaitTotal } from "./sockstat.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(parseTimeWaitTotal("sockets: used 15\nTCP: inuse 1 orphan 0 tw 500 alloc 1 mem 34\n"), 500);
 * ```
 */
export function parseTimeWaitTotal(text: string): number {
  const count = TIME_WAIT_COUNT.exec(text)?.[1];
  if (count === undefined) {
    throw new RangeError("Cannot read the count of TIME_WAIT as the text of sockstat has none");
  }
  return Number(count);
}
