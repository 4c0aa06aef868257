/**
 * A client of the Deno Jupyter kernel: starts it, executes code, hands on its outputs in their right
 * order, and never leaves it behind.
 *
 * @module
 */
export { describeKernelEnd, type KernelEnd, KernelEndedError, KernelStreamError } from "./errors.ts";
export {
  type ExecuteOptions,
  type ExecuteReply,
  Kernel,
  type KernelError,
  type KernelOptions,
} from "./kernel.ts";
export type { Content, KernelMessage } from "./wire.ts";
