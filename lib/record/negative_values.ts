const BEGINS_LIKE_NEGATIVE = /^-\.?\d/;

/**
 * Ties a number below 0 to the option before it, `--port -1` as `--port=-1`: by itself it looks like an option.
 *
 * @param args a command line; what follows `--` is left as it is
 * @param takesValue whether an option has a value, by its name without dashes
 * @returns the command line
 *
 * @example
 * ```ts
 * import { tieNegativeValues } from "./negative_values.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(tieNegativeValues(["--port", "-1", "--tls"], (name) => name === "port"), ["--port=-1", "--tls"]);
 * ```
 */
export function tieNegativeValues(
  args: readonly string[],
  takesValue: (name: string) => boolean,
): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const tied: string[] = [];
  for (let index = 0; index < end; index++) {
    const arg = args[index]!;
    const next = index + 1 < end ? args[index + 1]! : "";
    const isTied = arg.startsWith("--") && takesValue(arg.slice(2)) && BEGINS_LIKE_NEGATIVE.test(next);
    tied.push(isTied ? `${arg}=${next}` : arg);
    if (isTied) index++;
  }
  return [...tied, ...args.slice(end)];
}
