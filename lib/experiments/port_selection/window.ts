import type { Param, ParamOptions } from "../../record/mod.ts";
import type { PortRange } from "./walk.ts";

const PORTS = /^\d+$/;
const SHARE = /^(\d+(?:\.\d*)?|\.\d+)\s*%$/;
const MUST = "a number of ports such as 1000, or a share of the range such as 1.77%";

/** The size of the study's range. */
export const STATED_PORTS = 56_512;

/** The shares of it that the study's windows of 500, 1,000, 5,000 and 10,000 ports had. */
export const STATED_WINDOWS = ["0.88%", "1.77%", "8.85%", "17.7%"] as const;

/**
 * How many ports a window has.
 *
 * @param size a number of ports, or a share such as `1.77%`
 * @param ports the size of the range
 * @returns at least one port, and at most the range
 *
 * @example
 * ```ts
 * import { windowPorts } from "./window.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["1.77%", "500", "0.001%"].map((size) => windowPorts(size, 16_000)), [283, 500, 1]);
 * ```
 */
export function windowPorts(size: string, ports: number): number {
  const share = SHARE.exec(size)?.[1];
  const wanted = share === undefined ? Number(size) : Math.round(ports * Number(share) / 100);
  return Math.min(ports, Math.max(1, wanted));
}

/**
 * A part of a range, at random: every part of that size is as likely as another.
 *
 * @param range the range
 * @param size how many ports the part has
 * @param random random numbers in [0, 1)
 * @returns the part
 */
export function windowIn(range: PortRange, size: number, random: () => number): PortRange {
  const places = range.high - range.low + 2 - size;
  const low = range.low + Math.floor(random() * places);
  return { low, high: low + size - 1 };
}

/**
 * A window over the range: ports, or a share of the range.
 *
 * @param options default, help
 * @returns the parameter; its value is text, as it depends on the range how many ports a share is
 */
export function windowSize(options: ParamOptions<string>): Param<string> {
  return {
    kind: "text",
    ...options,
    accepts: MUST,
    parse(given) {
      const text = `${given}`.trim();
      const isSize = (typeof given === "string" || typeof given === "number") &&
        (PORTS.test(text) || SHARE.test(text));
      if (!isSize) return { must: MUST };
      const amount = Number.parseFloat(text);
      const most = SHARE.test(text) ? 100 : 65_535;
      return amount > 0 && amount <= most ? { value: text.replace(/\s/g, "") } : { must: MUST };
    },
    format: (value) => value,
  };
}
