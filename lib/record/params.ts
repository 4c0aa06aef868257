import { MisuseError } from "./errors.ts";
import { closest } from "./suggest.ts";
import type { Param, ParamJson, ParamSchema, ParamsOf } from "./param.ts";

/** How much of a value a message shows, in characters. */
const LONGEST_SHOWN = 200;

/** How {@linkcode resolveParams} fills what was not given. */
export interface ResolveOptions {
  /** Take each parameter's `quick` value, where it has one, instead of its default. @default {false} */
  quick?: boolean;
  /** Writes a parameter's name as the person writes it (`--watch-time-wait`). @default {(name) => name} */
  spell?: (name: string) => string;
}

/** Parameters that have been checked. */
export interface ResolvedParams<S extends ParamSchema = ParamSchema> {
  /** What the experiment sees. */
  readonly values: ParamsOf<S>;
  /** What is recorded and can be given again: giving it resolves to the same values. */
  readonly json: Readonly<Record<string, ParamJson>>;
}

/**
 * Checks what was given against a schema, before anything starts.
 *
 * @param schema the parameters of an experiment
 * @param given values by name: native ones from a notebook, or text from a command line
 * @param options whether quick values are taken, and how names are spelled in messages
 * @returns every parameter with its value, and the form in which it is recorded
 * @throws {MisuseError} a name is unknown (the nearest one is named) or a value is not accepted
 */
export function resolveParams<S extends ParamSchema>(
  schema: S,
  given: Readonly<Record<string, unknown>>,
  options: ResolveOptions = {},
): ResolvedParams<S> {
  const { quick = false, spell = (name) => name } = options;
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(schema, name)) continue;
    const nearest = closest(name, Object.keys(schema));
    const hint = nearest === null
      ? `the parameters are ${Object.keys(schema).map(spell).join(", ")}`
      : `did you mean ${spell(nearest)}?`;
    throw new MisuseError(
      `Cannot use parameter ${spell(name)} as the experiment has no such parameter: ${hint}`,
    );
  }
  const values: Record<string, unknown> = {};
  const json: Record<string, ParamJson> = {};
  for (const [name, param] of Object.entries(schema)) {
    const value = given[name] === undefined ? preset(param, quick) : read(param, given[name], spell(name));
    values[name] = value;
    json[name] = param.format(value);
  }
  return { values: values as ParamsOf<S>, json };
}

function preset<T>(param: Param<T>, quick: boolean): T {
  return quick && param.quick !== undefined ? param.quick : param.default;
}

function read<T>(param: Param<T>, given: unknown, name: string): T {
  const outcome = param.parse(given);
  if ("value" in outcome) return outcome.value;
  const shown = param.kind === "pem" ? "not shown, as a key may be in it" : textOf(given);
  throw new MisuseError(`Cannot use ${name} as it must be ${outcome.must}: current value is ${shown}`);
}

/** What was given, or its beginning: a file or a cell may give a list of any length. */
function textOf(given: unknown): string {
  const text = typeof given === "string" ? given : JSON.stringify(given) ?? String(given);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
