import nodeAssert from "node:assert";
import { inspect, isDeepStrictEqual } from "node:util";
import { suffix } from "./_suffix.ts";
import { AssertionError } from "./assertion_error.ts";

type Members = Record<PropertyKey, unknown>;

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/**
 * A copy in which what `@std/assert` takes as equal is equal to `node:assert` as well: -0 and 0, an
 * object without a prototype and a plain one.
 */
function levelled(value: unknown, seen: Map<object, unknown> = new Map()): unknown {
  if (value === 0) return 0;
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  if (value instanceof Map) {
    const copy = new Map<unknown, unknown>();
    seen.set(value, copy);
    for (const [key, member] of value) copy.set(levelled(key, seen), levelled(member, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = new Set<unknown>();
    seen.set(value, copy);
    for (const member of value) copy.add(levelled(member, seen));
    return copy;
  }
  if (!Array.isArray(value) && !isPlain(value)) return value;
  const copy = (Array.isArray(value) ? new Array(value.length) : {}) as Members;
  seen.set(value, copy);
  for (const key of Reflect.ownKeys(value)) {
    if (Object.prototype.propertyIsEnumerable.call(value, key)) {
      copy[key] = levelled((value as Members)[key], seen);
    }
  }
  return copy;
}

function isEqual(actual: unknown, expected: unknown): boolean {
  return isDeepStrictEqual(actual, expected) || isDeepStrictEqual(levelled(actual), levelled(expected));
}

/** How two values differ, line by line; texts of several lines by those. */
function difference(actual: unknown, expected: unknown): string {
  const isText = typeof actual === "string" && typeof expected === "string";
  const [a, b] = isText && (actual + expected).includes("\n")
    ? [actual.split("\n"), expected.split("\n")]
    : [levelled(actual), levelled(expected)];
  try {
    nodeAssert.deepStrictEqual(a, b);
  } catch (error) {
    // The first line says that the values differ, which the message does already.
    if (error instanceof Error) return error.message.replace(/^[^\n]*\n/, "\n");
  }
  return "";
}

/**
 * Asserts that two values are equal, deeply. Classes count, -0 equals 0, and a member that is
 * `undefined` is not one that is missing.
 *
 * @param actual the value
 * @param expected what it is to equal
 * @param msg said when it does not
 */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (isEqual(actual, expected)) return;
  throw new AssertionError(`Values are not equal${suffix(msg)}\n${difference(actual, expected)}`);
}

/**
 * Asserts that two values are not equal, deeply.
 *
 * @param actual the value
 * @param expected what it is not to equal
 * @param msg said when it does
 */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!isEqual(actual, expected)) return;
  throw new AssertionError(`Expected values to differ: ${inspect(actual)}${suffix(msg)}`);
}

/**
 * Asserts that two values are the same, as `Object.is` has it.
 *
 * @param actual the value
 * @param expected what it is to be
 * @param msg said when it is not
 */
export function assertStrictEquals<T>(actual: unknown, expected: T, msg?: string): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const found = isDeepStrictEqual(actual, expected)
    ? `\n\nThey are alike, but not the same: ${inspect(actual)}`
    : `\n${difference(actual, expected)}`;
  throw new AssertionError(`Values are not strictly equal${suffix(msg)}${found}`);
}

/**
 * Asserts that a list contains every member of another.
 *
 * @param actual the list
 * @param expected what it is to contain
 * @param msg said when it does not
 */
export function assertArrayIncludes<T>(actual: ArrayLike<T>, expected: ArrayLike<T>, msg?: string): void {
  const missing = Array.from(expected).filter((member) =>
    !Array.from(actual).some((candidate) => isEqual(candidate, member))
  );
  if (missing.length === 0) return;
  throw new AssertionError(
    `Expected ${inspect(actual)} to include ${inspect(expected)}${suffix(msg)}\nMissing: ${inspect(missing)}`,
  );
}

/** The part of a value that an expected one speaks of, without classes. */
function matched(actual: unknown, expected: unknown): unknown {
  const isDeep = (value: unknown): value is object =>
    typeof value === "object" && value !== null &&
    ![Map, Set, Date, RegExp].some((whole) => value instanceof whole);
  if (!isDeep(actual) || !isDeep(expected) || Array.isArray(actual) !== Array.isArray(expected)) {
    return actual;
  }
  const part: Members = {};
  for (const key of Reflect.ownKeys({ ...expected })) {
    if (key in actual) part[key] = matched((actual as Members)[key], (expected as Members)[key]);
  }
  return part;
}

/**
 * Asserts that an object has every member of another, deeply; it may have more. Classes do not count; a
 * map or a set counts as a whole.
 *
 * @param actual the object
 * @param expected what it is to have
 * @param msg said when it has not
 */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any -- an interface without an index signature is to fit
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  assertEquals<unknown>(matched(actual, expected), matched(expected, expected), msg);
}
