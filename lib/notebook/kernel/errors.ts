/** How a kernel ended. */
export interface KernelEnd {
  /** Its exit status; `null` when nobody was there to see it. */
  readonly code: number | null;
  /** The signal that ended it; `null` when it ended by itself. */
  readonly signal: string | null;
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
}

/** The kernel is gone, by itself or because it was killed. */
export class KernelEndedError extends Error {
  /** The name of the class. */
  override name = "KernelEndedError";
  /** How it ended. */
  readonly end: KernelEnd;

  /**
   * Says how the kernel ended.
   *
   * @param end how it ended
   */
  constructor(end: KernelEnd) {
    super(`The kernel ${describeKernelEnd(end)}`);
    this.end = end;
  }
}

/** What comes from the kernel can no longer be read, and the kernel was killed. */
export class KernelStreamError extends Error {
  /** The name of the class. */
  override name = "KernelStreamError";
}

/**
 * Says how a kernel ended.
 *
 * @param end how it ended
 * @returns such as `ended with status 0` or `was ended by SIGKILL`
 */
export function describeKernelEnd(end: KernelEnd): string {
  if (end.signal !== null) return `was ended by ${end.signal}`;
  return end.code === null ? "is gone" : `ended with status ${end.code}`;
}
