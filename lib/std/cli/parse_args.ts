/**
 * `parseArgs` with the documented behaviour of `jsr:@std/cli@1`, over `npm:minimist`, its ancestor.
 *
 * Not covered, as connlab has no use for it: `collect` on a boolean flag, and the `key` and `value` that
 * `unknown` is told of a group of short flags.
 *
 * Source: https://jsr.io/@std/cli/doc/parse-args
 *
 * @module
 */
import minimist from "minimist";

/** The flags and arguments that {@linkcode parseArgs} found. */
export type Args<
  TFlags extends Record<string, unknown> = Record<string, unknown>,
  TDoubleDash extends boolean | undefined = undefined,
> =
  & TFlags
  & {
    /** The arguments that belong to no flag. Those that look like numbers are numbers, unless `string` names `_`. */
    _: (string | number)[];
  }
  & (true extends TDoubleDash ? { "--": string[] } : unknown);

/** The flags by name, typed by the options that declare them. */
export type Flags<
  TString extends string,
  TBoolean extends string,
  TCollect extends string,
  TNegatable extends string,
  TDefault extends Record<string, unknown>,
> =
  & Record<string, unknown>
  & {
    [K in Exclude<TString, TCollect | keyof TDefault>]?: string | Negated<K, TNegatable>;
  }
  & {
    [K in Extract<TString, TCollect | keyof TDefault>]:
      | (K extends TCollect ? string[] : string)
      | Negated<K, TNegatable>
      | Default<K, TDefault>;
  }
  & { [K in TBoolean]: boolean | Default<K, TDefault> };

/** What `--no-name` makes of a flag that holds text. */
export type Negated<K extends string, TNegatable extends string> = K extends TNegatable ? false : never;

/** The type of a flag's default. */
export type Default<K extends string, TDefault> = K extends keyof TDefault ? TDefault[K] : never;

/** What {@linkcode parseArgs} is told of the flags. */
export interface ParseOptions<
  TString extends string = string,
  TBoolean extends string = string,
  TCollect extends string = string,
  TNegatable extends string = string,
  TDefault extends Record<string, unknown> = Record<string, unknown>,
  TDoubleDash extends boolean | undefined = boolean | undefined,
> {
  /** Flags that hold text, however much it looks like a number. */
  string?: TString | readonly TString[];
  /** Flags without a value; `false` when they are not given. */
  boolean?: TBoolean | readonly TBoolean[];
  /** Flags that may be given more than once: an array. Of any other flag the last one counts. */
  collect?: TCollect | readonly TCollect[];
  /** Flags that `--no-name` sets to `false`. */
  negatable?: TNegatable | readonly TNegatable[];
  /** Values of flags that are not given. */
  default?: TDefault;
  /** Other names of a flag. */
  alias?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether everything after the first argument that is no flag is left as it is. @default {false} */
  stopEarly?: boolean;
  /** Whether what follows `--` is kept apart. @default {false} */
  "--"?: TDoubleDash;
  /**
   * Called with every argument that the options do not declare; `false` leaves it out of the result.
   *
   * @param arg the argument as given
   * @param key the name of the flag; nothing for an argument that is no flag
   * @param value the flag's value
   */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** The part of minimist's interface that is used here. */
type Minimist = (args: readonly string[], options: {
  string: string[];
  boolean: string[];
  default: Record<string, null>;
  alias: Readonly<Record<string, string | readonly string[]>>;
  stopEarly: boolean;
  "--": true;
  unknown: (arg: string) => boolean;
}) => Record<string, unknown> & { _: (string | number)[]; "--": string[] };

/** Marks the booleans of flags that are not declared as such: no command line argument holds a NUL. */
const MARK = "\0";

const LONG_FLAG = /^--(no-)?(.+?)(?:=(.+))?$/s;

/** The names that one option declares, with their aliases. */
function declared(names: string | readonly string[] = [], alias: ParseOptions["alias"] = {}): Set<string> {
  const groups = Object.entries(alias).map(([name, others]) => [name, ...[others].flat()]);
  return new Set(
    [names].flat().flatMap((name) => [name, ...groups.filter((it) => it.includes(name)).flat()]),
  );
}

/**
 * Reads command line arguments.
 *
 * @param args the arguments
 * @param options the flags that are known
 * @returns the flags by name, and in `_` the arguments that belong to none
 *
 * @example
 * ```ts
 * import { parseArgs } from "@std/cli/parse-args";
 * import { assertEquals } from "@std/assert";
 * const args = parseArgs(["run", "--requests", "5", "--no-color"], {
 *   string: ["requests"],
 *   boolean: ["color"],
 *   negatable: ["color"],
 * });
 * assertEquals(args, { _: ["run"], requests: "5", color: false });
 * ```
 */
export function parseArgs<
  TString extends string = never,
  TBoolean extends string = never,
  TCollect extends string = never,
  TNegatable extends string = never,
  TDefault extends Record<string, unknown> = Record<never, never>,
  TDoubleDash extends boolean | undefined = undefined,
>(
  args: string[],
  options: ParseOptions<TString, TBoolean, TCollect, TNegatable, TDefault, TDoubleDash> = {},
): Args<Flags<TString, TBoolean, TCollect, TNegatable, TDefault>, TDoubleDash> {
  const { alias = {}, stopEarly = false, unknown = () => true } = options;
  const strings = declared(options.string, alias);
  const booleans = declared(options.boolean, alias);
  const collected = declared(options.collect, alias);
  const negatable = declared(options.negatable, alias);
  const aliases = declared(Object.keys(alias), alias);
  const isDeclared = (key: string) => strings.has(key) || booleans.has(key) || aliases.has(key);

  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);

  // minimist would negate any flag, and differs in what it takes as a flag's value: every long flag is
  // spelt out as `--key=value`, where the two agree.
  const spelt: string[] = [];
  const undeclared: [arg: string, key: string, value: unknown][] = [];
  for (let index = 0; index < before.length; index++) {
    const arg = before[index]!;
    const match = LONG_FLAG.exec(arg);
    if (!match) {
      const isValue = /^-[A-Za-z]+$/.test(before[index - 1] ?? "") &&
        !booleans.has(before[index - 1]!.at(-1)!);
      if (stopEarly && !/^-./.test(arg) && !isValue) {
        spelt.push(...before.slice(index));
        break;
      }
      spelt.push(arg);
      continue;
    }
    const [, no = "", name = "", given] = match;
    const isNegated = no !== "" && given === undefined && negatable.has(name);
    const key = given === undefined && !isNegated ? no + name : name;
    const next = before[index + 1] ?? "";
    let value: string | boolean;
    if (isNegated) value = false;
    else if (given !== undefined) value = booleans.has(key) ? given !== "false" : given;
    else if (!booleans.has(key) && next !== "" && !next.startsWith("-")) value = before[++index]!;
    else if (next === "true" || next === "false") value = before[++index] === "true";
    else value = strings.has(key) ? "" : true;

    spelt.push(`--${key}=${typeof value === "boolean" && !booleans.has(key) ? MARK : ""}${value}`);
    if (!isDeclared(key)) undeclared.push([arg, key, value]);
  }

  const found = (minimist as Minimist)([...spelt, "--", ...after], {
    string: [...strings],
    boolean: [...booleans],
    default: Object.fromEntries([...booleans].map((key) => [key, null])),
    alias,
    stopEarly,
    "--": true,
    unknown: (arg) => {
      if (arg.startsWith("--")) return unknown(...undeclared.shift()!) !== false;
      if (arg.startsWith("-") && arg !== "-") return unknown(arg, arg.slice(1)) !== false;
      return unknown(arg) !== false;
    },
  });

  const result: Record<string, unknown> & { _: (string | number)[] } = { _: found._ };
  for (const [key, value] of Object.entries(found)) {
    if (key === "_" || key === "--" || value === null) continue;
    const values = [value].flat().map((one) =>
      one === `${MARK}true` ? true : one === `${MARK}false` ? false : one
    );
    result[key] = collected.has(key) ? values : values.at(-1);
  }
  for (const [name, value] of Object.entries(options.default ?? {})) {
    for (const key of declared(name, alias)) if (!Object.hasOwn(result, key)) result[key] = value;
  }
  for (const key of new Set([...booleans, ...strings])) {
    if (Object.hasOwn(result, key) || key === "_") continue;
    if (collected.has(key)) result[key] = [];
    else if (booleans.has(key)) result[key] = false;
  }
  if (options["--"]) result["--"] = after;
  else result._.push(...after);
  return result as Args<Flags<TString, TBoolean, TCollect, TNegatable, TDefault>, TDoubleDash>;
}
