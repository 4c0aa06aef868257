import { inspect } from "node:util";
import { suffix } from "./_suffix.ts";
import { AssertionError } from "./assertion_error.ts";

/** What the two overloads of an assertion were given. */
interface Expectation {
  readonly errorClass: (new (...args: never[]) => Error) | undefined;
  readonly msgIncludes: string | undefined;
  readonly msg: string | undefined;
}

function expectation(
  first: (new (...args: never[]) => Error) | string | undefined,
  second: string | undefined,
  third: string | undefined,
): Expectation {
  return typeof first === "string"
    ? { errorClass: undefined, msgIncludes: undefined, msg: first }
    : { errorClass: first, msgIncludes: second, msg: third };
}

function check(error: unknown, { errorClass, msgIncludes, msg }: Expectation): void {
  if (!errorClass) return;
  if (!(error instanceof errorClass)) {
    throw new AssertionError(`Expected ${errorClass.name}, found ${inspect(error)}${suffix(msg)}`);
  }
  if (msgIncludes !== undefined && !error.message.includes(msgIncludes)) {
    throw new AssertionError(
      `Expected message of error to contain ${inspect(msgIncludes)}: ${inspect(error.message)}${suffix(msg)}`,
    );
  }
}

/**
 * Asserts that a function throws.
 *
 * @param fn the function
 * @param msg said when it does not
 * @returns what it threw
 */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/**
 * Asserts that a function throws an error of a class.
 *
 * @param fn the function
 * @param errorClass the class
 * @param msgIncludes what its message is to contain
 * @param msg said when the assertion does not hold
 * @returns the error
 */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  // deno-lint-ignore no-explicit-any -- a class whose constructor takes anything
  errorClass: new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  first?: (new (...args: never[]) => Error) | string,
  second?: string,
  third?: string,
): unknown {
  const expected = expectation(first, second, third);
  try {
    fn();
  } catch (error) {
    check(error, expected);
    return error;
  }
  throw new AssertionError(`Expected function to throw${suffix(expected.msg)}`);
}

/**
 * Asserts that a function returns a promise that rejects.
 *
 * @param fn the function
 * @param msg said when it does not
 * @returns the reason of the rejection
 */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/**
 * Asserts that a function returns a promise that rejects with an error of a class.
 *
 * @param fn the function
 * @param errorClass the class
 * @param msgIncludes what its message is to contain
 * @param msg said when the assertion does not hold
 * @returns the error
 */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  // deno-lint-ignore no-explicit-any -- a class whose constructor takes anything
  errorClass: new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  first?: (new (...args: never[]) => Error) | string,
  second?: string,
  third?: string,
): Promise<unknown> {
  const expected = expectation(first, second, third);
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch (error) {
    throw new AssertionError(`Expected function to reject, but it threw${suffix(expected.msg)}`, {
      cause: error,
    });
  }
  try {
    await promise;
  } catch (error) {
    check(error, expected);
    return error;
  }
  throw new AssertionError(`Expected function to reject${suffix(expected.msg)}`);
}
