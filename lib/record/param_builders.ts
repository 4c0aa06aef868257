import type { Param } from "./param.ts";

/** What every builder takes. */
export interface ParamOptions<T> {
  /** What it means, in one line. */
  help: string;
  /** The value when none is given. */
  default: T;
  /** The value for a quick look. @default {the default} */
  quick?: T;
}

/** What {@linkcode integer} and {@linkcode number} take. */
export interface NumberOptions extends ParamOptions<number> {
  /** Smallest value. */
  min: number;
  /** Largest value. */
  max: number;
}

/** What {@linkcode url} takes. */
export interface UrlOptions extends ParamOptions<string | null> {
  /** The schemes that are accepted. @default {["http:", "https:"]} */
  protocols?: readonly ("http:" | "https:")[];
}

/** What {@linkcode duration} takes; times as text, such as `2.5s`. */
export interface DurationOptions extends ParamOptions<string> {
  /** Shortest time. @default {"1ms"} */
  min?: string;
  /** Longest time. @default {"1h"} */
  max?: string;
}

// A point is the only decimal separator in every locale: `2,5` must never become 25.
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const DURATION = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(ms|s|m|h)?$/;
const LONGEST_TEXT = 1000;
const MS_PER = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

function numberOf(given: unknown): unknown {
  return typeof given === "string" && DECIMAL.test(given.trim()) ? Number(given) : given;
}

/**
 * The point that a person who wrote a comma meant.
 *
 * @param spell writes the number that was meant in the ways in which it may be given. @default {as it is}
 */
function pointHint(given: unknown, spell: (meant: string) => string = (meant) => meant): string {
  const written = typeof given === "string" ? /^([+-]?\d*),(\d+)(.*)$/.exec(given.trim()) : null;
  return written ? `, with a point for decimals (${spell(`${written[1]}.${written[2]}${written[3]}`)})` : "";
}

/** A time as it was written, and as one that needs no point. */
function twoSpellings(time: string): string {
  const ms = milliseconds(time);
  return ms === null ? time : `${time} or ${ms}ms`;
}

/**
 * A whole number.
 *
 * @param options bounds, default, help
 * @returns the parameter
 *
 * @example
 * ```ts
 * import { integer } from "./param_builders.ts";
 * import { assertEquals } from "@std/assert";
 * const requests = integer({ min: 1, max: 100, default: 5, help: "requests per round" });
 * assertEquals(requests.parse("7"), { value: 7 });
 * assertEquals(requests.parse(0), { must: ">= 1" });
 * ```
 */
export function integer(options: NumberOptions): Param<number> {
  return numeric("integer", options);
}

/**
 * A number; decimals with a point, in every locale.
 *
 * @param options bounds, default, help
 * @returns the parameter
 */
export function number(options: NumberOptions): Param<number> {
  return numeric("number", options);
}

function numeric(kind: "integer" | "number", options: NumberOptions): Param<number> {
  const { help, min, max } = options;
  const fits = kind === "integer" ? Number.isInteger : Number.isFinite;
  const what = kind === "integer" ? "a whole number" : "a number";
  return {
    kind,
    help,
    accepts: `${min} to ${max}`,
    default: options.default,
    ...(options.quick === undefined ? {} : { quick: options.quick }),
    parse(given) {
      const value = numberOf(given);
      if (typeof value !== "number" || !Number.isFinite(value)) {
        return { must: `${what} from ${min} to ${max}${pointHint(given)}` };
      }
      if (value < min) return { must: `>= ${min}` };
      if (value > max) return { must: `<= ${max}` };
      return fits(value) ? { value } : { must: `${what} from ${min} to ${max}` };
    },
    format: (value) => value,
  };
}

/**
 * A time. It is given as `2.5s`, `500ms`, `1m`, or a bare number of seconds with a point; the
 * experiment sees milliseconds.
 *
 * @param options default (as text), bounds (as text), help
 * @returns the parameter
 * @throws {RangeError} the default or a bound is no time
 *
 * @example
 * ```ts
 * import { duration } from "./param_builders.ts";
 * import { assertEquals } from "@std/assert";
 * const lifetime = duration({ default: "2.5s", help: "lifetime of a connection" });
 * assertEquals(lifetime.default, 2500);
 * assertEquals(lifetime.parse("500ms"), { value: 500 });
 * assertEquals(lifetime.parse(2.5), { value: 2500 });
 * assertEquals(lifetime.format(2500), "2500ms");
 * ```
 */
export function duration(options: DurationOptions): Param<number> {
  const { help, min = "1ms", max = "1h" } = options;
  const [least, most] = [ownTime(min), ownTime(max)];
  return {
    kind: "duration",
    help,
    accepts: `${min} to ${max}`,
    default: ownTime(options.default),
    ...(options.quick === undefined ? {} : { quick: ownTime(options.quick) }),
    parse(given) {
      const value = milliseconds(given);
      if (value === null) {
        return { must: `a time such as 2.5s, 500ms or a number of seconds${pointHint(given, twoSpellings)}` };
      }
      if (value < least) return { must: `>= ${min}` };
      return value > most ? { must: `<= ${max}` } : { value };
    },
    format: (value) => `${value}ms`,
  };
}

/** A time that the builder itself is given: one that cannot be read would be a limit that nothing keeps to. */
function ownTime(text: string): number {
  const ms = milliseconds(text);
  if (ms === null) throw new RangeError(`Cannot make parameter as ${JSON.stringify(text)} is no time`);
  return ms;
}

/**
 * A time as a person writes it, with the unit that makes it short.
 *
 * @param time the time as it is recorded
 * @returns such as `2m`, `2.5s` or `500ms`
 *
 * @example
 * ```ts
 * import { shortTime } from "./param_builders.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["120000ms", "2500ms", "60ms", "0ms"].map(shortTime), ["2m", "2.5s", "60ms", "0ms"]);
 * ```
 */
export function shortTime(time: string): string {
  const ms = milliseconds(time);
  if (ms === null || ms === 0) return time;
  if (ms % MS_PER.h === 0) return `${ms / MS_PER.h}h`;
  if (ms % MS_PER.m === 0) return `${ms / MS_PER.m}m`;
  return ms >= MS_PER.s && ms % 100 === 0 ? `${ms / MS_PER.s}s` : time;
}

function milliseconds(given: unknown): number | null {
  if (typeof given === "number") return Number.isFinite(given) ? scaled(given, MS_PER.s) : null;
  const parts = typeof given === "string" ? DURATION.exec(given.trim()) : null;
  return parts ? scaled(Number(parts[1]), MS_PER[(parts[2] ?? "s") as keyof typeof MS_PER]) : null;
}

/** A product of decimals without what binary fractions add to it: 1.1 s are 1100 ms, to a nanosecond. */
function scaled(value: number, factor: number): number {
  return Math.round(value * factor * 1e6) / 1e6;
}

/**
 * One of several names.
 *
 * @param names the names
 * @param options default, help
 * @returns the parameter
 */
export function choice<const T extends string>(
  names: readonly T[],
  options: ParamOptions<NoInfer<T>>,
): Param<T> {
  const accepts = names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : names.join();
  return {
    kind: "choice",
    ...options,
    accepts,
    parse(given) {
      const value = names.find((name) => name === given);
      return value === undefined ? { must: accepts } : { value };
    },
    format: (value) => value,
  };
}

/**
 * Several values of another parameter, separated by commas on the command line, an array in a cell.
 *
 * @param item the parameter that reads one value; its default and help are not used
 * @param options default, help
 * @returns the parameter
 */
export function list<T extends string | number>(
  item: Param<T>,
  options: ParamOptions<readonly T[]>,
): Param<readonly T[]> {
  return {
    kind: "list",
    ...options,
    accepts: `${item.accepts}; several separated by commas`,
    parse(given) {
      const parts = Array.isArray(given) ? given : typeof given === "string" ? given.split(",") : [given];
      const values: T[] = [];
      for (const part of parts) {
        const outcome = item.parse(typeof part === "string" ? part.trim() : part);
        if ("must" in outcome) return { must: `a list whose every value is ${outcome.must}` };
        values.push(outcome.value);
      }
      return values.length > 0 ? { value: values } : { must: "a list of at least one value" };
    },
    format: (values) => values.map((value) => item.format(value) as string | number),
  };
}

/**
 * Yes or no: `--name` and `--no-name` on the command line, a boolean in a cell.
 *
 * @param options default, help
 * @returns the parameter
 */
export function flag(options: ParamOptions<boolean>): Param<boolean> {
  return {
    kind: "flag",
    ...options,
    accepts: "true or false",
    parse(given) {
      if (given === true || given === "true") return { value: true };
      if (given === false || given === "false") return { value: false };
      return { must: "true or false" };
    },
    format: (value) => value,
  };
}

/**
 * Free text.
 *
 * @param options default, help
 * @returns the parameter
 */
export function text(options: ParamOptions<string>): Param<string> {
  return {
    kind: "text",
    ...options,
    accepts: "text",
    parse(given) {
      const fits = typeof given === "string" && given.length <= LONGEST_TEXT;
      return fits ? { value: given } : { must: `text of at most ${LONGEST_TEXT} characters` };
    },
    format: (value) => value,
  };
}

/**
 * The address of a server of one's own, or none.
 *
 * @param options default, schemes, help
 * @returns the parameter
 *
 * @example
 * ```ts
 * import { url } from "./param_builders.ts";
 * import { assertEquals } from "@std/assert";
 * const target = url({ default: null, help: "your server" });
 * assertEquals(target.parse("http://127.0.0.1:8080"), { value: "http://127.0.0.1:8080/" });
 * assertEquals("must" in target.parse("127.0.0.1:8080"), true);
 * ```
 */
export function url(options: UrlOptions): Param<string | null> {
  const { help, protocols = ["http:", "https:"] } = options;
  const accepts = `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`;
  return {
    kind: "url",
    help,
    accepts,
    default: options.default,
    ...(options.quick === undefined ? {} : { quick: options.quick }),
    parse(given) {
      if (given === null) return { value: null };
      const parsed = typeof given === "string" ? URL.parse(given) : null;
      const known = parsed !== null && protocols.some((protocol) => protocol === parsed.protocol);
      // Whatever is given is recorded: a password must not be.
      const fits = known && parsed.hostname !== "" && !parsed.username && !parsed.password;
      return fits ? { value: parsed.href } : { must: `${accepts}, without user name or password` };
    },
    format: (value) => value,
  };
}
