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
import { type Declared, type LongFlag, readLongFlag, spell, unmark } from "./_long_flags.ts";

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

/** The names that one option declares, with their aliases. */
function declared(names: string | readonly string[] = [], alias: ParseOptions["alias"] = {}): Set<string> {
  const groups = Object.entries(alias).map(([name, others]) => [name, ...[others].flat()]);
  return new Set(
    [names].flat().flatMap((name) => [name, ...groups.filter((it) => it.includes(name)).flat()]),
  );
}

function isShortFlag(arg: string): boolean {
  return /^-./.test(arg);
}

/** Whether what follows an argument is its value, as it is after a short flag that is no switch. */
function takesValue(arg: string | undefined, booleans: ReadonlySet<string>): boolean {
  return arg !== undefined && /^-[A-Za-z]+$/.test(arg) && !booleans.has(arg.at(-1)!);
}

/**
 * Whether minimist can be handed a flag that it was not told of: `--name=` is a flag of that very name, and
 * what every object inherits, such as `constructor`, it takes for declared.
 */
function canBeSpelt(key: string): boolean {
  return !key.includes("=") && !(key in Object.prototype);
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
  const flags: Declared = {
    strings: declared(options.string, alias),
    booleans: declared(options.boolean, alias),
    negatable: declared(options.negatable, alias),
  };
  const collected = declared(options.collect, alias);
  const aliased = declared(Object.keys(alias), alias);

  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);

  // minimist would negate any flag, and differs in what it takes as a flag's value.
  const spelt: string[] = [];
  const undeclared: LongFlag[] = [];
  const result: Record<string, unknown> & { _: (string | number)[] } = { _: [] };
  for (let index = 0; index < before.length; index++) {
    const arg = before[index]!;
    const flag = readLongFlag(before, index, flags);
    if (!flag && stopEarly && !isShortFlag(arg) && !takesValue(before[index - 1], flags.booleans)) {
      spelt.push(...before.slice(index));
      break;
    }
    if (flag?.takesNext) index++;
    const isUndeclared = flag !== null &&
      ![flags.strings, flags.booleans, aliased].some((names) => names.has(flag.key));
    if (isUndeclared && !canBeSpelt(flag.key)) {
      if (unknown(arg, flag.key, flag.value) !== false) result[flag.key] = flag.value;
      continue;
    }
    spelt.push(flag ? spell(flag, flags) : arg);
    if (isUndeclared) undeclared.push(flag);
  }

  const { _, "--": _rest, ...found } = (minimist as Minimist)([...spelt, "--", ...after], {
    string: [...flags.strings],
    boolean: [...flags.booleans],
    default: Object.fromEntries([...flags.booleans].map((key) => [key, null])),
    alias,
    stopEarly,
    "--": true,
    unknown: (spelling) => {
      if (!spelling.startsWith("--")) {
        return (isShortFlag(spelling) ? unknown(spelling, spelling.slice(1)) : unknown(spelling)) !== false;
      }
      const { arg, key, value } = undeclared.shift()!;
      return unknown(arg, key, value) !== false;
    },
  });

  result._ = _;
  for (const [key, value] of Object.entries(found)) {
    if (value === null) continue;
    const values = [value].flat().map(unmark);
    result[key] = collected.has(key) ? values : values.at(-1);
  }
  for (const [name, value] of Object.entries(options.default ?? {})) {
    for (const key of declared(name, alias)) if (!Object.hasOwn(result, key)) result[key] = value;
  }
  for (const key of new Set([...flags.booleans, ...flags.strings])) {
    if (Object.hasOwn(result, key) || key === "_") continue;
    if (collected.has(key)) result[key] = [];
    else if (flags.booleans.has(key)) result[key] = false;
  }
  if (options["--"]) result["--"] = after;
  else result._.push(...after);
  return result as Args<Flags<TString, TBoolean, TCollect, TNegatable, TDefault>, TDoubleDash>;
}
