/**
 * The part of `jsr:@std/assert` that connlab uses, for where JSR cannot be reached: the same names and
 * signatures, over `node:assert`.
 *
 * Equality is that of `@std/assert`, with one difference: errors are compared with their messages.
 *
 * Source: https://jsr.io/@std/assert/doc
 *
 * @module
 */
export * from "./assertion_error.ts";
export * from "./equality.ts";
export * from "./order.ts";
export * from "./throwing.ts";
export * from "./truth.ts";
