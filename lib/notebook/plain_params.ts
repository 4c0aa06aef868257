import { MisuseError } from "../record/mod.ts";

/** Parameters as a cell gives them. */
type Given = Readonly<Record<string, unknown>>;

/**
 * Refuses parameters that would not reach the processes of a run as they are: JSON, in which they travel, makes
 * `null` of `NaN`, which for some parameters means none, and leaves a function out.
 *
 * @param params the parameters, by name; one that is `undefined` has its default
 * @returns the parameters
 * @throws {MisuseError} a value is not what JSON can hold
 */
export function requirePlainParams(params: Given): Given {
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || isPlain(value)) continue;
    throw new MisuseError(
      `Cannot use ${name} as it must be text, a finite number, true, false, null or a list of these: ` +
        `current value is ${Array.isArray(value) ? "a list with other values" : String(value)}`,
    );
  }
  return params;
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
