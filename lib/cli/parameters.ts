import type { ExperimentDescription, ParamDescription } from "../experiments/mod.ts";
import { MisuseError, optionName, type ParamJson, shortTime } from "../record/mod.ts";
import { describeOptions, type Option } from "./options.ts";

/**
 * The options that an experiment's parameters make.
 *
 * @param experiment what is told of the experiment
 * @returns one option a parameter
 */
export function parameterOptions({ params }: ExperimentDescription): Option[] {
  return params.map((param) => ({
    name: optionName(param.name),
    value: valueOf(param),
    help: describeParam(param),
    negatable: param.kind === "flag",
  }));
}

/**
 * The parameters that were given, by their names in a cell.
 *
 * @param experiment what is told of the experiment
 * @param options what was written
 * @returns the given values, as text or booleans
 */
export function givenParameters(
  { params }: ExperimentDescription,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { name } of params) {
    const value = options[optionName(name)];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/**
 * An experiment's part of `--help`.
 *
 * @param experiment what is told of the experiment
 * @returns the text
 */
export function experimentHelp(experiment: ExperimentDescription): string {
  const { id, title, question } = experiment;
  return `${title} (${id})\n${question}\n\nParameters:\n${describeOptions(parameterOptions(experiment))}`;
}

function valueOf({ kind }: ParamDescription): string | null {
  if (kind === "flag") return null;
  return kind === "pem" ? "FILE" : kind === "numbers" ? "NUMBERS|FILE" : kind.toUpperCase();
}

function describeParam({ help, accepts, default: preset, quick }: ParamDescription): string {
  const quickly = quick === undefined ? "" : `, quick ${presetText(quick)}`;
  return `${help} (${accepts}; default ${presetText(preset)}${quickly})`;
}

/** A preset value as JSON, its times as a person writes them. */
function presetText(value: ParamJson): string {
  return JSON.stringify(
    value,
    (_, part) => typeof part === "string" && /^[\d.]+ms$/.test(part) ? shortTime(part) : part,
  );
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
