import { inspect } from "node:util";
import { suffix } from "./_suffix.ts";
import { AssertionError } from "./assertion_error.ts";

/** A value that counts as false. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

/** Any class. */
// deno-lint-ignore no-explicit-any -- a class whose constructor takes anything
export type AnyConstructor = new (...args: any[]) => any;

/** What an instance of a class is. */
export type GetConstructorType<T extends AnyConstructor> = InstanceType<T>;

/**
 * Asserts that a value counts as true.
 *
 * @param expr the value
 * @param msg said when it does not
 */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/**
 * Asserts that a value counts as false.
 *
 * @param expr the value
 * @param msg said when it does not
 */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

/**
 * Asserts that a value is neither `null` nor `undefined`.
 *
 * @param actual the value
 * @param msg said when it is
 */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    throw new AssertionError(`Expected a value, found ${actual}${suffix(msg)}`);
  }
}

/**
 * Asserts that a value is an instance of a class.
 *
 * @param actual the value
 * @param expectedType the class
 * @param msg said when it is not
 */
export function assertInstanceOf<T extends AnyConstructor>(
  actual: unknown,
  expectedType: T,
  msg = "",
): asserts actual is GetConstructorType<T> {
  if (!(actual instanceof expectedType)) {
    throw new AssertionError(
      `Expected an instance of ${expectedType.name}, found ${inspect(actual)}${suffix(msg)}`,
    );
  }
}

/**
 * Asserts that a text matches a pattern.
 *
 * @param actual the text
 * @param expected the pattern
 * @param msg said when it does not
 */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) {
    throw new AssertionError(`Expected text to match ${expected}: ${inspect(actual)}${suffix(msg)}`);
  }
}

/**
 * Asserts that a text contains another.
 *
 * @param actual the text
 * @param expected what it is to contain
 * @param msg said when it does not
 */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) {
    throw new AssertionError(
      `Expected text to contain ${inspect(expected)}: ${inspect(actual)}${suffix(msg)}`,
    );
  }
}

/**
 * Fails.
 *
 * @param msg why
 */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed${suffix(msg)}`);
}

/**
 * Fails, where the program is never to come.
 *
 * @param reason why it is never to come there
 */
export function unreachable(reason?: string): never {
  throw new AssertionError(`Came where it is never to come${suffix(reason)}`);
}
