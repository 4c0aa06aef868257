import { openLibc } from "./libc.ts";
import { listKernelFolder } from "./kernel_folder.ts";
import { readKernelFile } from "./proc.ts";

const SYMBOLS = {
  sched_getaffinity: { parameters: ["i32", "usize", "buffer"], result: "i32", optional: true },
  sched_setaffinity: { parameters: ["i32", "usize", "buffer"], result: "i32", optional: true },
} as const;

let opened: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | null = null;

function calls(): Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] {
  return opened ??= openLibc(SYMBOLS);
}

/** What a processor of the machine has done since the system began. */
export interface ProcessorTimes {
  /** Work, of whatever process and of the kernel, in milliseconds. */
  readonly busyMs: number;
  /** Nothing, in milliseconds. */
  readonly idleMs: number;
  /** Nothing, as the machine below a virtual one gave it to others, in milliseconds. */
  readonly stolenMs: number;
}

/**
 * The unit of `/proc/stat` and `/proc/<pid>/stat` in milliseconds: USER_HZ is 100 on every processor that Deno is
 * built for. Source: proc_stat(5); Linux, `include/asm-generic/param.h`.
 */
export const TICK_MS = 10;

/**
 * Reads the text of `/proc/stat`.
 *
 * Source: proc_stat(5). Time of guests is in that of users already.
 *
 * @param text the text of the file
 * @returns what each processor has done, in order
 */
export function parseProcessorTimes(text: string): ProcessorTimes[] {
  return text.split("\n").filter((line) => /^cpu\d/.test(line)).map((line) => {
    const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = line
      .trim()
      .split(/\s+/).slice(1).map((ticks) => Number(ticks) * TICK_MS);
    return { busyMs: user + nice + system + irq + softIrq, idleMs: idle + ioWait, stolenMs: steal };
  });
}

/**
 * What each processor of the machine has done.
 *
 * Needs `--allow-ffi` of the C library. Linux only.
 *
 * @returns its times, in order
 * @throws {Deno.errors.NotFound} this system does not tell
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function readProcessorTimes(): ProcessorTimes[] {
  return parseProcessorTimes(readKernelFile("/proc/stat"));
}

/**
 * The share of the time between two readings in which the processors were not free: at work, or taken away by the
 * machine below a virtual one.
 *
 * @param before the first reading
 * @param after the second one
 * @returns the share of all of them, 0 to 1; `null` when no time has passed
 *
 * @example
 * ```ts
 * import { busyShare } from "./processor_time.ts";
 * import { assertEquals } from "@std/assert";
 * const before = [{ busyMs: 0, idleMs: 0, stolenMs: 0 }, { busyMs: 0, idleMs: 0, stolenMs: 0 }];
 * const after = [{ busyMs: 100, idleMs: 0, stolenMs: 0 }, { busyMs: 40, idleMs: 50, stolenMs: 10 }];
 * assertEquals(busyShare(before, after), 0.75);
 * ```
 */
export function busyShare(
  before: readonly ProcessorTimes[],
  after: readonly ProcessorTimes[],
): number | null {
  const sum = (times: readonly ProcessorTimes[], part: keyof ProcessorTimes) =>
    times.reduce((total, { [part]: partMs }) => total + partMs, 0);
  const passed = (part: keyof ProcessorTimes) => sum(after, part) - sum(before, part);
  const takenMs = passed("busyMs") + passed("stolenMs");
  const totalMs = takenMs + passed("idleMs");
  return totalMs > 0 ? takenMs / totalMs : null;
}

/** CPU_SETSIZE is 1024. Source: CPU_SET(3). */
const MASK_BYTES = 128;

/**
 * The processors that the calling thread may run on.
 *
 * Needs `--allow-ffi` of the C library. Source: sched_getaffinity(2).
 *
 * @returns their numbers, from 0; none where the system does not tell
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function allowedProcessors(): number[] {
  const mask = new Uint8Array(MASK_BYTES);
  if ((calls().sched_getaffinity?.(0, BigInt(MASK_BYTES), mask) ?? -1) < 0) return [];
  return Array.from({ length: MASK_BYTES * 8 }, (_, index) => index)
    .filter((index) => mask[index >> 3]! & 1 << (index & 7));
}

/**
 * Lets a process run on one processor only, with every thread that it has and those that they will start.
 *
 * Needs `--allow-ffi` of the C library. Source: sched_setaffinity(2).
 *
 * @param processor its number, from 0
 * @param pid the process. @default {the calling thread alone}
 * @returns whether that holds now: `false` where the system does not know how, has no such processor, forbids it or
 * there is no such process
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function pinToProcessor(processor: number, pid?: number): boolean {
  const { sched_setaffinity } = calls();
  if (!sched_setaffinity || !Number.isInteger(processor) || processor < 0 || processor >= MASK_BYTES * 8) {
    return false;
  }
  const mask = new Uint8Array(MASK_BYTES);
  mask[processor >> 3] = 1 << (processor & 7);
  const pinThread = (thread: number) => sched_setaffinity(thread, BigInt(MASK_BYTES), mask) === 0;
  if (pid === undefined) return pinThread(0);
  // One that a thread starts while the others are pinned is found by looking again.
  const pinned = new Set<number>();
  for (;;) {
    const fresh = threadsOf(pid).filter((thread) => !pinned.has(thread));
    if (fresh.length === 0) return pinned.size > 0;
    for (const thread of fresh) {
      if (!pinThread(thread) && threadsOf(pid).includes(thread)) return false;
      pinned.add(thread);
    }
  }
}

function threadsOf(pid: number): number[] {
  try {
    return listKernelFolder(`/proc/${pid}/task`).map(Number);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
