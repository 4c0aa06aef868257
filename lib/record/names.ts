const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

// A table is a file, also where upper and lower case are the same.
const TABLE_NAME = /^[a-z][a-z0-9]*([-_][a-z0-9]+)*$/;

const PARAM_NAME = /^[a-z][a-zA-Z0-9]*$/;

/**
 * Whether a name is in kebab case, as the id of an experiment is: it names commands and folders.
 *
 * @param name the name
 * @returns `true` for lower-case words with hyphens between them
 *
 * @example
 * ```ts
 * import { isKebabCase } from "./names.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["handshake-cost", "Handshake", "2-fast", "a--b"].map(isKebabCase), [true, false, false, false]);
 * ```
 */
export function isKebabCase(name: string): boolean {
  return KEBAB_CASE.test(name);
}

/**
 * Whether a name would do as a table's, which is that of its file too.
 *
 * @param name the name
 * @returns `true` for lower-case words with hyphens or underscores between them
 */
export function isTableName(name: string): boolean {
  return TABLE_NAME.test(name);
}

/**
 * Whether a name would do as a parameter's: an option of the command line is made of it.
 *
 * @param name the name
 * @returns `true` for camel case, such as `watchTimeWait`
 */
export function isParamName(name: string): boolean {
  return PARAM_NAME.test(name);
}

/**
 * A parameter's name on the command line.
 *
 * @param name the name in a cell, in camel case
 * @returns the name of the option, in kebab case, without dashes before it
 *
 * @example
 * ```ts
 * import { optionName } from "./names.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(optionName("watchTimeWait"), "watch-time-wait");
 * ```
 */
export function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
