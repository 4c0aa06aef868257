import { inspect } from "node:util";
import { suffix } from "./_suffix.ts";
import { AssertionError } from "./assertion_error.ts";

function assertOrder(
  holds: boolean,
  actual: unknown,
  relation: string,
  expected: unknown,
  msg?: string,
): void {
  if (!holds) {
    throw new AssertionError(`Expected ${inspect(actual)} ${relation} ${inspect(expected)}${suffix(msg)}`);
  }
}

/**
 * Asserts `actual > expected`.
 *
 * @param actual the value
 * @param expected the bound
 * @param msg said when it does not hold
 */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  assertOrder(actual > expected, actual, ">", expected, msg);
}

/**
 * Asserts `actual >= expected`.
 *
 * @param actual the value
 * @param expected the bound
 * @param msg said when it does not hold
 */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  assertOrder(actual >= expected, actual, ">=", expected, msg);
}

/**
 * Asserts `actual < expected`.
 *
 * @param actual the value
 * @param expected the bound
 * @param msg said when it does not hold
 */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  assertOrder(actual < expected, actual, "<", expected, msg);
}

/**
 * Asserts `actual <= expected`.
 *
 * @param actual the value
 * @param expected the bound
 * @param msg said when it does not hold
 */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  assertOrder(actual <= expected, actual, "<=", expected, msg);
}

/**
 * Asserts that two numbers differ by a tolerance at most.
 *
 * @param actual the number
 * @param expected the number that it is to come near
 * @param tolerance how far it may be off; a ten-millionth of `expected` when left out
 * @param msg said when it is further off
 */
export function assertAlmostEquals(actual: number, expected: number, tolerance?: number, msg?: string): void {
  if (Object.is(actual, expected)) return;
  const allowed = tolerance ?? (Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7);
  const off = Math.abs(expected - actual);
  assertOrder(off <= allowed, actual, `within ${allowed} of`, expected, msg);
}
