import { listKernelFolder } from "./kernel_folder.ts";
import { libc, openLibc } from "./libc.ts";
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
 * Sends a signal to a group of processes.
 *
 * Needs `--allow-ffi` of the C library. Source: kill(2).
 *
 * @param leader the id of the process that leads it, and of the group
 * @param signal the signal
 * @returns whether it was sent to one at least
 * @throws {RangeError} the id is not an integer > 1: 1 would name every process
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function sendSignalToGroup(leader: number, signal: EndSignal): boolean {
  requirePid(leader, `send ${signal} to group of process`);
  if (leader === 1) {
    throw new RangeError(`Cannot send ${signal} to group of process as 1 names every process`);
  }
  return libc().kill(-leader, SIGNAL_NUMBERS[signal]) === 0;
}

/** PR_SET_CHILD_SUBREAPER. Source: prctl(2). */
const ADOPT = 36;

/**
 * Lets this process be the parent of every process below it whose own parent ends, in the place of the first one of
 * the system: they remain below it. Linux only.
 *
 * Needs `--allow-ffi` of the C library. Source: prctl(2), PR_SET_CHILD_SUBREAPER.
 *
 * @returns whether it does
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function adoptOrphans(): boolean {
  if (Deno.build.os !== "linux") return false;
  const { prctl } = openLibc({ prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" } });
  return prctl(ADOPT, 1n, 0n, 0n, 0n) === 0;
}

/**
 * The processes below a process: those that any of its threads has started, and those below them. Linux only.
 *
 * Needs `--allow-ffi` of the C library. Source: proc_tid_children(5).
 *
 * @param pid its id
 * @returns their ids, a parent before its children; none when there is no such process
 * @throws {Deno.errors.NotSupported} the C library cannot be opened
 */
export function descendantsOf(pid: number): number[] {
  requirePid(pid, "look for descendants of process");
  const found = [pid];
  for (const parent of found) found.push(...childrenOfAnyThread(parent));
  return found.slice(1);
}

function childrenOfAnyThread(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  return orNone(() => listKernelFolder(tasks)).flatMap((thread) =>
    orNone(() => idsOf(readKernelFile(`${tasks}/${thread}/children`)))
  );
}

/** A process or thread that has just ended has none. */
function orNone<T>(find: () => T[]): T[] {
  try {
    return find();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function idsOf(text: string): number[] {
  return text.split(" ").filter((id) => id !== "").map(Number);
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
  return orNone(() => idsOf(readKernelFile(`${thread}/children`)));
}
