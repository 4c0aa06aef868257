import { libc } from "./libc.ts";
import { readKernelFile } from "./proc.ts";

/** A signal that ends a process: Ctrl-C, a request, a certain end. */
export type EndSignal = "SIGINT" | "SIGTERM" | "SIGKILL";

/** The numbers of POSIX, kill(1). */
const SIGNAL_NUMBERS: Readonly<Record<EndSignal, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Zero and below name groups of processes, this one's among them. */
function requirePid(pid: number, action: string): void {
  if (!Number.isSafeInteger(pid) || pid < 1) {
    throw new RangeError(`Cannot ${action} as its id must be an integer >= 1: current value is ${pid}`);
  }
}

/**
 * The state of a process from the text of `/proc/<pid>/stat`. It follows the program's name in
 * parentheses, which may itself hold spaces and parentheses.
 *
 * Source: proc_pid_stat(5).
 *
 * @param text the text of the file
 * @returns one letter, such as `R`, `S` or `Z`
 */
export function parseProcessState(text: string): string {
  return text.charAt(text.lastIndexOf(")") + 2);
}

/**
 * Whether a process lives. One that has ended and that its parent has not yet asked for (a zombie) does
 * not.
 *
 * Needs `--allow-ffi` of the C library.
 *
 * @param pid its id
 * @returns whether it lives; outside Linux, `false` too for a process of another user
 * @throws {RangeError} the id is not an integer >= 1
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function isAlive(pid: number): boolean {
  requirePid(pid, "look for process");
  if (Deno.build.os !== "linux") return libc().kill(pid, 0) === 0;
  try {
    const state = parseProcessState(readKernelFile(`/proc/${pid}/stat`));
    return state !== "Z" && state !== "X";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Sends a signal to a process. `Deno.kill` would need the right to run every program.
 *
 * Needs `--allow-ffi` of the C library. Source: kill(2).
 *
 * @param pid its id
 * @param signal the signal
 * @returns whether it was sent: `false` when there is no such process, or it belongs to another user
 * @throws {RangeError} the id is not an integer >= 1
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function sendSignal(pid: number, signal: EndSignal): boolean {
  requirePid(pid, `send ${signal} to process`);
  return libc().kill(pid, SIGNAL_NUMBERS[signal]) === 0;
}

/**
 * The processes that a process has started and that have not been waited for: by its main thread, or, of
 * this process, by the calling thread. Linux only.
 *
 * Needs `--allow-ffi` of the C library. Source: proc_tid_children(5).
 *
 * @param pid its id
 * @returns their ids; none when there is no such process
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function childrenOf(pid: number): number[] {
  requirePid(pid, "look for children of process");
  const thread = pid === Deno.pid ? "/proc/thread-self" : `/proc/${pid}/task/${pid}`;
  try {
    return readKernelFile(`${thread}/children`).split(" ").filter((id) => id !== "").map(Number);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
