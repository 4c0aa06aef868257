import { descendantsOf } from "./process.ts";
import { TICK_MS } from "./processor_time.ts";
import { readKernelFile } from "./proc.ts";

/** What a process and those below it take. */
export interface ProcessUse {
  /** How many processes they are that live. */
  readonly processes: number;
  /** Their memory that is in RAM, in bytes. Pages that several share are counted for each. */
  readonly residentBytes: number;
  /**
   * How long they have run on a processor, in milliseconds, to 10 ms, since they began: with the time of those below
   * them that have ended.
   */
  readonly processorMs: number;
}

/**
 * The time that a process has run on a processor from the text of `/proc/<pid>/stat`: its own and that of the
 * processes that it has started and waited for.
 *
 * Source: proc_pid_stat(5).
 *
 * @param text the text of the file
 * @returns the time in milliseconds
 */
export function parseProcessorMs(text: string): number {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [UTIME, CSTIME] = [11, 14];
  return fields.slice(UTIME, CSTIME + 1).reduce((ticks, field) => ticks + Number(field), 0) * TICK_MS;
}

/**
 * The memory of a process that is in RAM from the text of `/proc/<pid>/status`.
 *
 * Source: proc_pid_status(5).
 *
 * @param text the text of the file
 * @returns the memory in bytes: 0 for a process that has ended and has not been waited for
 */
export function parseResidentBytes(text: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
}

/**
 * What a process and those below it take now.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @param pid its id
 * @returns memory and processor time; `null` when none lives
 * @throws {RangeError} the id is not an integer >= 1
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function readProcessUse(pid: number): ProcessUse | null {
  const uses = [pid, ...descendantsOf(pid)].map(useOf).filter((use) => use !== null);
  // One that has ended and has not been waited for has run, and is none any more.
  const processes = uses.filter(({ residentBytes }) => residentBytes > 0).length;
  if (processes === 0) return null;
  return {
    processes,
    residentBytes: uses.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    processorMs: uses.reduce((sum, { processorMs }) => sum + processorMs, 0),
  };
}

function useOf(pid: number): Omit<ProcessUse, "processes"> | null {
  try {
    return {
      residentBytes: parseResidentBytes(readKernelFile(`/proc/${pid}/status`)),
      processorMs: parseProcessorMs(readKernelFile(`/proc/${pid}/stat`)),
    };
  } catch (error) {
    // It ended while the others were looked at.
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
