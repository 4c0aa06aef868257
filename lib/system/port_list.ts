/** Ports from the first to the last, both included. */
export type PortRange = readonly [low: number, high: number];

/** The highest port that there is. */
const LAST_PORT = 65_535;

/**
 * Reads a list of ports as the kernel writes it, such as `8080,9000-9100`.
 *
 * Source: Linux, `Documentation/networking/ip-sysctl.rst` (ip_local_reserved_ports).
 *
 * @param text the list; nothing is an empty one
 * @returns its ranges in order, those that touch joined
 * @throws {RangeError} it is no such list
 *
 * @example
 * ```ts
 * import { parsePortList } from "./port_list.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(parsePortList("9000-9100,8080,8081"), [[8080, 8081], [9000, 9100]]);
 * ```
 */
export function parsePortList(text: string): PortRange[] {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  const ranges = parts.map(parseRange).sort(([a], [b]) => a - b);
  const joined: [number, number][] = [];
  for (const [low, high] of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

function parseRange(text: string): [number, number] {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  const [low, high] = [Number(first), Number(last)];
  if (low <= high && high <= LAST_PORT) return [low, high];
  throw new RangeError(
    `Cannot read ports as they must be such as 8080 or 9000-9100: current value is ${text}`,
  );
}

/**
 * How many ports of a range are not in a list.
 *
 * @param range the range
 * @param without the list, as {@linkcode parsePortList} gives it
 * @returns the count
 */
export function countPorts([low, high]: PortRange, without: readonly PortRange[]): number {
  const taken = without.map(([from, to]) => Math.max(0, Math.min(to, high) - Math.max(from, low) + 1));
  return taken.reduce((left, count) => left - count, Math.max(0, high - low + 1));
}
