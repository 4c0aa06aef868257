import { closest, type Json, MisuseError } from "../../record/mod.ts";
import { type Declaration, declarationsIn, type ParameterKind } from "./declarations.ts";
import { type CodeCell, type Notebook, tagsOf } from "./nbformat.ts";

/** Values for a notebook's parameters. */
export interface GivenParameters {
  /** Values by name. */
  readonly values?: Readonly<Record<string, Json>>;
  /** Values as they were written on a command line, by name. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** A parameter that has been checked. */
export interface Parameter {
  /** Its name. */
  readonly name: string;
  /** How it is declared. */
  readonly keyword: Declaration["keyword"];
  /** Its value. */
  readonly value: Json;
}

const PARAMETERS = "parameters";
const INJECTED = "injected-parameters";
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
/** A point is the only decimal separator in every locale. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const KIND_TEXTS: Readonly<Record<Exclude<ParameterKind, "any">, string>> = {
  number: "a number",
  string: "text",
  boolean: "true or false",
  list: "a list in JSON, such as [1, 2]",
  object: "an object in JSON",
};

/**
 * Reads parameters as a command line gives them.
 *
 * @param written each `name=value`
 * @returns the values as they were written, by name; of several for one name the last
 * @throws {MisuseError} one is not of this form
 *
 * @example
 * ```ts
 * import { readAssignments } from "./parameters.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(readAssignments(["requests=20", "label=a=b"]), { requests: "20", label: "a=b" });
 * ```
 */
export function readAssignments(written: readonly string[]): Record<string, string> {
  return Object.fromEntries(written.map((one) => {
    const at = one.indexOf("=");
    if (at < 1) {
      throw new MisuseError(`Cannot use parameter ${one} as it must be written name=value`);
    }
    return [one.slice(0, at).trim(), one.slice(at + 1)];
  }));
}

/**
 * Checks values against the parameters that a notebook declares in its cell tagged `parameters`, before
 * anything runs. A notebook without such a cell takes any name.
 *
 * @param notebook the notebook
 * @param given the values
 * @param name the name of the notebook's file, for messages
 * @returns the parameters that were given, in order
 * @throws {MisuseError} a name is unknown (the nearest one is named), or a value is of another kind than
 * the default
 */
export async function resolveParameters(
  notebook: Notebook,
  given: GivenParameters,
  name: string,
): Promise<Parameter[]> {
  const { values = {}, texts = {} } = given;
  const names = [...new Set([...Object.keys(values), ...Object.keys(texts)])];
  if (names.length === 0) return [];
  const declared = await declaredParameters(notebook, name);
  return names.map((parameter) => {
    const declaration = declared ? find(declared, parameter, name) : undeclared(parameter);
    const { keyword, kind } = declaration;
    const value = Object.hasOwn(texts, parameter) ? readText(texts[parameter]!, kind) : values[parameter]!;
    if (!isOfKind(value, kind)) throw wrongKind(parameter, kind, texts[parameter] ?? JSON.stringify(value));
    return { name: parameter, keyword, value };
  });
}

/**
 * Puts parameters into a notebook, by papermill's rules: in place of the cell tagged
 * `injected-parameters`; else behind the cell tagged `parameters`; else on top.
 *
 * Source: https://papermill.readthedocs.io/en/latest/usage-parameterize.html
 *
 * @param notebook the notebook
 * @param parameters the parameters
 * @returns another notebook, with a cell that sets them; the same one when there are none
 */
export function injectParameters(notebook: Notebook, parameters: readonly Parameter[]): Notebook {
  if (parameters.length === 0) return notebook;
  const injected = notebook.cells.findIndex((cell) => tagsOf(cell).includes(INJECTED));
  const cell: CodeCell = {
    cell_type: "code",
    id: injected >= 0 ? notebook.cells[injected]!.id : freeId(notebook),
    execution_count: null,
    metadata: { tags: [INJECTED] },
    outputs: [],
    source: parameters
      .map(({ name, keyword, value }) => `${keyword} ${name} = ${JSON.stringify(value)};`)
      .join("\n"),
  };
  const at = injected >= 0 ? injected : parametersIndex(notebook) + 1;
  return { ...notebook, cells: notebook.cells.toSpliced(at, injected >= 0 ? 1 : 0, cell) };
}

/**
 * Whether a notebook has a cell that declares its parameters.
 *
 * @param notebook the notebook
 * @returns whether a code cell is tagged `parameters`
 */
export function hasParametersCell(notebook: Notebook): boolean {
  return parametersIndex(notebook) >= 0;
}

function parametersIndex(notebook: Notebook): number {
  return notebook.cells.findIndex((cell) => cell.cell_type === "code" && tagsOf(cell).includes(PARAMETERS));
}

async function declaredParameters(notebook: Notebook, name: string): Promise<Declaration[] | null> {
  const cell = notebook.cells[parametersIndex(notebook)];
  if (!cell) return null;
  try {
    return await declarationsIn(cell.source);
  } catch (error) {
    throw new MisuseError(
      `Cannot read the parameters of notebook ${name} as their cell cannot be parsed: ${
        error instanceof Error ? error.message : error
      }`,
    );
  }
}

function find(declared: readonly Declaration[], parameter: string, notebook: string): Declaration {
  const found = declared.findLast(({ name }) => name === parameter);
  if (found) return found;
  const names = declared.map(({ name }) => name);
  const nearest = closest(parameter, names);
  const hint = nearest !== null
    ? `did you mean ${nearest}?`
    : names.length > 0
    ? `the parameters are ${names.join(", ")}`
    : "its cell tagged parameters declares none";
  throw new MisuseError(
    `Cannot use parameter ${parameter} as notebook ${notebook} has no such parameter: ${hint}`,
  );
}

function undeclared(parameter: string): Declaration {
  if (!IDENTIFIER.test(parameter)) {
    throw new MisuseError(`Cannot use parameter ${parameter} as it is not a name that a cell can declare`);
  }
  return { name: parameter, keyword: "let", kind: "any" };
}

/** JSON where it is JSON and of the right kind, else the text itself. */
function readText(text: string, kind: ParameterKind): Json {
  if (kind === "number" && DECIMAL.test(text.trim())) return Number(text);
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return kind === "string" && typeof value !== "string" ? text : value;
}

function isOfKind(value: Json, kind: ParameterKind): boolean {
  // JSON has no infinity: `1e400` would be written into the cell as null.
  if (typeof value === "number") return Number.isFinite(value) && (kind === "number" || kind === "any");
  if (value === null || kind === "any") return true;
  if (kind === "list") return Array.isArray(value);
  if (kind === "object") return typeof value === "object" && !Array.isArray(value);
  return kind === (typeof value as string);
}

function wrongKind(parameter: string, kind: ParameterKind, shown: string): MisuseError {
  const comma = kind === "number" ? /^\s*([+-]?\d*),(\d+)\s*$/.exec(shown) : null;
  const hint = comma ? `, with a point for decimals (${comma[1]}.${comma[2]})` : "";
  const must = kind === "any" ? "a finite number" : KIND_TEXTS[kind];
  return new MisuseError(
    `Cannot use parameter ${parameter} as it must be ${must}${hint}: current value is ${shown}`,
  );
}

function freeId(notebook: Notebook): string {
  const taken = new Set(notebook.cells.map(({ id }) => id));
  let id = INJECTED;
  for (let suffix = 2; taken.has(id); suffix++) id = `${INJECTED}-${suffix}`;
  return id;
}
