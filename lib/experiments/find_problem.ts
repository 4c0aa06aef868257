import { findTablesProblem, isKebabCase, isParamName, optionName, type Param } from "../record/mod.ts";

/** The options that `lab run` has for every experiment: a parameter of such a name could not be given. */
export const RUN_OPTIONS: readonly string[] = ["data", "seed", "label", "quick", "dry-run", "json", "help"];

type Members = Readonly<Record<string, unknown>>;

/** What each member must be: a check, and its name for people. */
const MEMBERS: readonly [what: string, fits: (value: unknown) => boolean, names: readonly string[]][] = [
  ["text", (value) => typeof value === "string", ["title", "question"]],
  ["an object", isObject, ["params", "tables"]],
  ["an object of functions", isObjectOfFunctions, ["figures"]],
  ["a function", isFunction, ["budgetMs", "measure", "summarize"]],
  [
    "a function or left out",
    optional(isFunction),
    ["needs", "servers", "prepare", "descriptors", "connections"],
  ],
  ["an array of what claim() makes, or left out", optional(isClaims), ["claims"]],
];

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isObjectOfFunctions(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isFunction);
}

function isClaims(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((claim: unknown) =>
      isObject(claim) && typeof claim.id === "string" && typeof claim.stated === "string" &&
      isFunction(claim.judge)
    );
}

function optional(fits: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || fits(value);
}

/**
 * What keeps a value from being an experiment. A person's file may export anything.
 *
 * @param definition the value
 * @returns the problem, such as `its title must be text`; `null` when there is none
 */
export function findProblem(definition: unknown): string | null {
  if (!isObject(definition)) return "it is no object";
  const { id, version, params, tables } = definition;
  if (typeof id !== "string" || !isKebabCase(id)) {
    return `its id must be in kebab case: current value is ${id}`;
  }
  if (!Number.isInteger(version) || (version as number) < 1) {
    return `its version must be a whole number >= 1: current value is ${version}`;
  }
  for (const [what, fits, names] of MEMBERS) {
    const wrong = names.find((name) => !fits(definition[name]));
    if (wrong !== undefined) return `its ${wrong} must be ${what}`;
  }
  if (Object.keys(tables as Members).length === 0) return "it has no table to record rows in";
  return findTablesProblem(tables as Members) ?? paramsProblem(params as Members);
}

function paramsProblem(params: Members): string | null {
  const taken = new Set(RUN_OPTIONS);
  for (const [name, param] of Object.entries(params)) {
    if (!isParamName(name)) return `the name of a parameter must be in camel case: current value is ${name}`;
    if (name in Object.prototype) return `parameter ${name} needs another name: every object has one of that`;
    if (!isParam(param)) return `parameter ${name} must be made by integer() or another builder`;
    for (const option of optionsOf(name, param)) {
      if (taken.has(option)) {
        return `parameter ${name} needs another name: --${option} is taken on the command line`;
      }
      taken.add(option);
    }
    const problem = presetProblem(name, param);
    if (problem !== null) return problem;
  }
  return null;
}

function isParam(value: unknown): value is Param<unknown> {
  return isObject(value) && isFunction(value.parse) && isFunction(value.format);
}

function optionsOf(name: string, { kind }: Param<unknown>): string[] {
  const option = optionName(name);
  return kind === "flag" ? [option, `no-${option}`] : [option];
}

/** A default or quick value is given like any other: it must be accepted in the form in which it is recorded. */
function presetProblem(name: string, param: Param<unknown>): string | null {
  for (const value of [param.default, param.quick ?? param.default]) {
    const outcome = param.parse(param.format(value));
    if ("must" in outcome) return `${name} must be ${outcome.must}: its preset value is ${value}`;
  }
  return null;
}
