/**
 * The part of `jsr:@std/cli` that connlab uses, for where JSR cannot be reached: the same names and
 * signatures.
 *
 * @module
 */
export * from "./parse_args.ts";
