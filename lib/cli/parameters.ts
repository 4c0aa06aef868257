import type { Experiment } from "../experiments/mod.ts";
import { MisuseError, type Param, type ParamSchema } from "../record/mod.ts";
import { columns, type Option } from "./options.ts";

/**
 * A parameter's name on the command line: `watchTimeWait` is `watch-time-wait`.
 *
 * @param name the name in a cell
 * @returns the name of the option
 */
export function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * The options that an experiment's parameters make.
 *
 * @param params the parameters
 * @returns one option a parameter
 */
export function parameterOptions(params: ParamSchema): Option[] {
  return Object.entries(params).map(([name, param]) => ({
    name: optionName(name),
    value: param.kind === "flag" ? null : param.kind.toUpperCase(),
    help: param.help,
    negatable: param.kind === "flag",
  }));
}

/**
 * The parameters that were given, by their names in a cell.
 *
 * @param params the experiment's parameters
 * @param options what was written
 * @returns the given values, as text or booleans
 */
export function givenParameters(
  params: ParamSchema,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(params)) {
    const value = options[optionName(name)];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/**
 * An experiment's part of `--help`.
 *
 * @param experiment the experiment
 * @returns the text
 */
export function describeExperiment(experiment: Experiment): string {
  const rows = Object.entries(experiment.params as ParamSchema).map(([name, param]) =>
    [
      `--${optionName(name)}${param.kind === "flag" ? "" : ` ${param.kind.toUpperCase()}`}`,
      describeParam(param),
    ] as const
  );
  return `${experiment.title} (${experiment.id})\n${experiment.question}\n\nParameters:\n${columns(rows)}`;
}

function describeParam(param: Param<unknown>): string {
  const preset = (value: unknown) => JSON.stringify(param.format(value));
  const quick = param.quick === undefined ? "" : `, quick ${preset(param.quick)}`;
  return `${param.help} (${param.accepts}; default ${preset(param.default)}${quick})`;
}

/**
 * Reads a seed.
 *
 * @param written what was written; `undefined` for none
 * @returns the seed; `null` when one is to be drawn
 * @throws {MisuseError} it is no whole number
 */
export function parseSeed(written: string | undefined): number | null {
  if (written === undefined) return null;
  if (/^\d{1,10}$/.test(written) && Number(written) < 2 ** 32) return Number(written);
  throw new MisuseError(
    `Cannot use --seed as it must be a whole number from 0 to ${2 ** 32 - 1}: current value is ${written}`,
  );
}
