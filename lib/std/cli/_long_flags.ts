/** Marks a boolean of a flag that is not declared as one: no command line argument holds a NUL. */
const MARK = "\0";

const LONG_FLAG = /^--(no-)?(.+?)(?:=(.+))?$/s;

/** What the reading of long flags has to know of those that are declared. */
export interface Declared {
  /** Flags that hold text. */
  readonly strings: ReadonlySet<string>;
  /** Flags without a value. */
  readonly booleans: ReadonlySet<string>;
  /** Flags that `--no-name` sets to `false`. */
  readonly negatable: ReadonlySet<string>;
}

/** A long flag as it was given, and what it says. */
export interface LongFlag {
  /** The argument as given. */
  readonly arg: string;
  /** The name. */
  readonly key: string;
  /** The value. */
  readonly value: string | boolean;
}

/**
 * Reads the long flag at a position.
 *
 * @param args the arguments
 * @param index the position
 * @param declared what is declared
 * @returns the flag, and whether the next argument is its value; `null` when there is no long flag
 */
export function readLongFlag(
  args: readonly string[],
  index: number,
  { strings, booleans, negatable }: Declared,
): LongFlag & { readonly takesNext: boolean } | null {
  const arg = args[index]!;
  const match = LONG_FLAG.exec(arg);
  if (!match) return null;
  const [, no = "", name = "", given] = match;
  const next = args[index + 1] ?? "";
  if (given !== undefined) {
    return { arg, key: name, value: booleans.has(name) ? given !== "false" : given, takesNext: false };
  }
  if (no !== "" && negatable.has(name)) return { arg, key: name, value: false, takesNext: false };
  const key = no + name;
  if (!booleans.has(key) && next !== "" && !next.startsWith("-")) {
    return { arg, key, value: next, takesNext: true };
  }
  if (next === "true" || next === "false") return { arg, key, value: next === "true", takesNext: true };
  return { arg, key, value: strings.has(key) ? "" : true, takesNext: false };
}

/**
 * Writes a long flag as `--key=value`, so that nothing is left to be guessed.
 *
 * @param flag the flag
 * @param declared what is declared
 * @returns one argument
 */
export function spell({ key, value }: LongFlag, { booleans }: Declared): string {
  return `--${key}=${typeof value === "boolean" && !booleans.has(key) ? MARK : ""}${value}`;
}

/**
 * The value that was spelt.
 *
 * @param value the value as it was read
 * @returns the value as it was meant
 */
export function unmark(value: unknown): unknown {
  return value === `${MARK}true` ? true : value === `${MARK}false` ? false : value;
}
