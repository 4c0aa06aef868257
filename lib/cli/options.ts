import { parseArgs } from "@std/cli/parse-args";
import { closest, MisuseError, tieNegativeValues } from "../record/mod.ts";

/** An option of a command. */
export interface Option {
  /** Its name without dashes. */
  readonly name: string;
  /** What its value is called in `--help`; `null` for one without a value. */
  readonly value: string | null;
  /** What it does, in one line. */
  readonly help: string;
  /** Whether `--no-name` is accepted too. @default {false} */
  readonly negatable?: boolean;
  /** Whether it may be given more than once. @default {false} */
  readonly repeatable?: boolean;
}

/** What was written on a command line. */
export interface Parsed {
  /** Text by option; `true` or `false` for one without a value; a list for a repeatable one. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[]>>;
  /** The words that are not options. */
  readonly words: readonly string[];
}

/** The option that every command has. */
export const HELP: Option = { name: "help", value: null, help: "Show this text" };

/**
 * Refuses a value that its option cannot have, under the option's name: `--name=value` leaves nothing to be
 * guessed.
 */
function requireTiedFit(args: readonly string[], known: readonly Option[]): void {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  for (const arg of args.slice(0, end)) {
    const [, name, value] = /^--([^=]+)=(.*)$/s.exec(arg) ?? [];
    if (name === undefined) continue;
    const option = known.find((it) => it.name === name);
    if (!option) throw unknownOption(arg, known);
    requireFits(option, value!);
  }
}

function requireFits(option: Option, value: string): void {
  if (option.value !== null && value === "") throw withoutValue(option);
  if (option.value === null && value !== "true" && value !== "false") {
    throw new MisuseError(
      `Cannot use --${option.name} as it must be true or false: current value is ${value || "empty"}`,
    );
  }
}

function withoutValue({ name, value }: Option): MisuseError {
  return new MisuseError(`Cannot use --${name} without a value: write --${name} ${value}`);
}

/**
 * Reads a command's arguments.
 *
 * @param args the arguments behind the command
 * @param known the options that it has
 * @returns options and words
 * @throws {MisuseError} an option is unknown (the nearest one is named), lacks its value, or is given twice
 */
export function parseOptions(args: readonly string[], known: readonly Option[]): Parsed {
  const valued = known.filter(({ value }) => value !== null).map(({ name }) => name);
  const bare = known.filter(({ value }) => value === null);
  const tied = tieNegativeValues(args, (name) => valued.includes(name));
  requireTiedFit(tied, known);
  const parsed = parseArgs(tied, {
    string: valued,
    boolean: bare.map(({ name }) => name),
    negatable: bare.filter(({ negatable }) => negatable).map(({ name }) => name),
    collect: valued,
    unknown: (argument, key) => {
      if (key !== undefined) throw unknownOption(argument, known);
    },
  }) as Record<string, unknown> & { _: (string | number)[] };
  const options: Record<string, string | boolean | readonly string[]> = {};
  for (const option of known) {
    const { name, value, repeatable } = option;
    if (value === null) {
      if (wasGiven(args, name)) options[name] = parsed[name] === true;
      continue;
    }
    const given = (parsed[name] as string[] | undefined ?? []).map(String);
    if (given.includes("")) throw withoutValue(option);
    if (given.length > 1 && !repeatable) {
      throw new MisuseError(`Cannot use --${name} twice: it was given as ${given.join(" and as ")}`);
    }
    if (given.length > 0) options[name] = repeatable ? given : given[0]!;
  }
  return { options, words: parsed._.map(String) };
}

function wasGiven(args: readonly string[], name: string): boolean {
  return args.some((arg) => arg === `--${name}` || arg === `--no-${name}` || arg.startsWith(`--${name}=`));
}

function unknownOption(written: string, known: readonly Option[]): MisuseError {
  const option = written.replace(/=.*/s, "");
  const nearest = closest(option.replace(/^-+/, ""), known.map(({ name }) => name));
  const hint = nearest === null ? "--help lists the options" : `did you mean --${nearest}?`;
  return new MisuseError(`Cannot use option ${option} as there is no such option: ${hint}`);
}

/**
 * Lays out pairs as two columns.
 *
 * @param rows left and right text
 * @returns the lines, indented
 */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

/**
 * The options of a command, for `--help`.
 *
 * @param options the options
 * @returns one line an option
 */
export function describeOptions(options: readonly Option[]): string {
  return columns(
    options.map(({ name, value, help }) => [`--${name}${value === null ? "" : ` ${value}`}`, help]),
  );
}

/**
 * Refuses words where a command takes none.
 *
 * @param words the words that are not options
 * @param verb the command
 * @throws {MisuseError} there are words
 */
export function noWords(words: readonly string[], verb: string): void {
  if (words.length > 0) {
    throw new MisuseError(`Cannot use ${words.join(" ")} as lab ${verb} takes options only`);
  }
}
