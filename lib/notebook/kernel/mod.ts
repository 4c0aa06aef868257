/**
 * A client of the Deno Jupyter kernel: starts it, executes code, hands on its outputs in their right
 * order, and never leaves it behind.
 *
 * @module
 */
export { describeKernelEnd, type KernelEnd, KernelEndedError, KernelStreamError } from "./errors.ts";
export { Kernel, type KernelOptions } from "./kernel.ts";
export type { ExecuteOptions, ExecuteReply, KernelError } from "./session.ts";
export type { Content, KernelMessage } from "./wire.ts";
