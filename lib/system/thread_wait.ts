import { readKernelFile } from "./proc.ts";

/**
 * How long a thread was ready to run and had no processor, from the text of its `schedstat`.
 *
 * Source: Linux, `Documentation/scheduler/sched-stats.rst`: time on a processor, time on a run queue (both in
 * nanoseconds), number of turns.
 *
 * @param text the text of the file
 * @returns the time in milliseconds; `null` when it is not such a text
 */
export function parseThreadWaitMs(text: string): number | null {
  const [, wait] = /^\d+ (\d+) \d+\s*$/.exec(text) ?? [];
  return wait === undefined ? null : Number(wait) / 1e6;
}

/**
 * How long the calling thread was ready to run and had no processor: what other work on the machine took from it.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @returns milliseconds since the thread began; `null` where the system does not tell
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function threadWaitMs(): number | null {
  try {
    return parseThreadWaitMs(readKernelFile("/proc/thread-self/schedstat"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
