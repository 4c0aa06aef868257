import { CannotRunHereError, integer, type Param } from "../../lib/record/mod.ts";
import { limitDescriptors } from "../../lib/system/mod.ts";
import { optional } from "./flags.ts";

/** More than a process can have. */
const MAX_DESCRIPTORS = 10_000_000;

/** What a server needs before it can take a connection: its runtime has half of it open, or more. */
const LEAST_DESCRIPTORS = 40;

/**
 * `--fds`, of servers that may be given less than their system lets them have.
 *
 * @param help what is limited
 * @param min the least number with which the server still works. @default {40}
 * @returns the flag, `null` where it is not given
 */
export function descriptorsFlag(help: string, min = LEAST_DESCRIPTORS): Param<number | null> {
  return optional(integer({ min, max: MAX_DESCRIPTORS, default: min, help }));
}

/**
 * Limits the file descriptors of this process, and of those that it starts from now on, for good.
 *
 * @param count how many it may have; `null` for no further limit
 * @throws {CannotRunHereError} the limit that is in force is lower, or the right to call the C library is missing
 */
export function lowerDescriptors(count: number | null): void {
  if (count === null) return;
  try {
    limitDescriptors(count);
  } catch (error) {
    throw new CannotRunHereError(
      error instanceof Error ? error.message : String(error),
      "Leave out --fds, or start it with --allow-ffi of the C library and a number below the hard limit (ulimit -Hn)",
      { cause: error },
    );
  }
}
