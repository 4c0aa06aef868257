import { parseArgs } from "@std/cli/parse-args";
import {
  closest,
  integer,
  MisuseError,
  optionName,
  type Param,
  type ParamSchema,
  type ParamsOf,
  shortTime,
  text,
  tieNegativeValues,
} from "../../lib/record/mod.ts";

/** What a server is on the command line: its flags and `--help` derive from it. */
export interface ServerUsage<S extends ParamSchema = ParamSchema> {
  /** Its name. */
  readonly name: string;
  /** What it does, in a sentence. */
  readonly about: string;
  /** Its flags, by their names in camel case. */
  readonly params: S;
  /** What `--help` says below the flags: paths, behaviours. */
  readonly details: string;
}

/** What was written on a server's command line. */
export interface ReadFlags<S extends ParamSchema> {
  /** Every flag with its value. */
  readonly values: ParamsOf<S>;
  /** The names of those that were given. */
  readonly given: ReadonlySet<keyof S & string>;
}

/** `--hostname`, of every server. */
export const HOSTNAME: Param<string> = {
  ...text({ default: "127.0.0.1", help: "the address to listen on" }),
  accepts: "an address",
  parse: (given) => typeof given === "string" && given !== "" ? { value: given } : { must: "an address" },
};

/** `--port`, of every server. */
export const PORT: Param<number> = integer({
  min: 0,
  max: 65_535,
  default: 0,
  help: "the port to listen on; 0 lets the system choose",
});

/**
 * A flag that may be left out.
 *
 * @param param what reads it when it is given; its default is not used
 * @returns the flag, `null` where it is not given
 */
export function optional<T>(param: Param<T>): Param<T | null> {
  return {
    kind: param.kind,
    help: param.help,
    accepts: param.accepts,
    default: null,
    parse: param.parse,
    format: (value) => value === null ? null : param.format(value),
  };
}

/**
 * What is thrown when a server is started the wrong way.
 *
 * @param server the server
 * @param reason why it cannot start
 * @returns the error, which the program answers with status 2
 */
export function misuse(server: ServerUsage, reason: string): MisuseError {
  return new MisuseError(`Cannot start ${server.name} as ${reason}`);
}

/**
 * Reads the flags of a server.
 *
 * @param server the server
 * @param args its command line
 * @returns the flags; `null` when help is wanted
 * @throws {MisuseError} a flag is unknown (the nearest one is named), or its value is not accepted
 */
export function readFlags<S extends ParamSchema>(
  server: ServerUsage<S>,
  args: readonly string[],
): ReadFlags<S> | null {
  const params = Object.entries(server.params);
  const named = (flags: boolean) =>
    params.filter(([, { kind }]) => (kind === "flag") === flags).map(([name]) => optionName(name));
  const valued = named(false);
  const tied = tieNegativeValues(args, (name) => valued.includes(name));
  const written: Readonly<Record<string, unknown>> = parseArgs(tied, {
    string: [...valued, "_"],
    boolean: [...named(true), "help"],
    unknown(arg, key) {
      if (key === undefined) throw misuse(server, `it takes flags only: current value is ${arg}`);
      const near = closest(key, [...params.map(([name]) => optionName(name)), "help"]);
      const hint = near === null ? "" : `: did you mean --${near}`;
      throw misuse(server, `there is no flag ${arg.split("=", 1)[0]}${hint}`);
    },
  });
  if (written.help) return null;
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  for (const [name, param] of params) {
    const flag = optionName(name);
    const value = written[flag];
    // A switch that is not given reads as false.
    if (value === undefined || value === false) {
      values[name] = param.default;
      continue;
    }
    const outcome = param.parse(value);
    if ("must" in outcome) {
      throw misuse(server, `--${flag} must be ${outcome.must}: current value is ${value || "empty"}`);
    }
    values[name] = outcome.value;
    given.add(name);
  }
  return { values: values as ParamsOf<S>, given };
}

/**
 * What `--help` prints.
 *
 * @param server the server
 * @returns the text
 */
export function usageOf(server: ServerUsage): string {
  const width = Math.max(...Object.keys(server.params).map((name) => `  --${optionName(name)}  `.length));
  const flags = Object.entries(server.params).map(
    ([name, { help, kind, accepts, default: preset, format }]) => {
      const flag = `  --${optionName(name)}`.padEnd(width);
      if (kind === "flag") return `${flag}${help}`;
      const value = preset === null ? null : format(preset);
      const text = kind === "duration" ? shortTime(`${value}`) : value;
      const known = value === null ? accepts : `${accepts}; default ${text}`;
      return `${flag}${help} (${known})`;
    },
  );
  const usage = `Usage: ${server.name} [flags]`;
  const parts = [server.about, usage, flags.join("\n"), server.details, ENDING];
  return parts.filter((part) => part !== "").join("\n\n");
}

const ENDING =
  `It prints one line of JSON when it listens. Under lab serve it ends at Ctrl-C or a signal; started by
itself, at a line "stop" or the end of its standard input.`;
