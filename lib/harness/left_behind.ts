import { adoptOrphans, descendantsOf, isAlive, libcPath, pause, sendSignal } from "../system/mod.ts";

/** How often what is left is killed, should it have started something just before. */
const MOST_TRIES = 50;

const POLL_MS = 10;

/**
 * Works, and ends every process below this one that the work has left behind: what a server has started goes on when the
 * server is killed that would have ended it. For a process that does nothing else, Linux only.
 *
 * Needs `--allow-ffi` of the C library.
 *
 * @param work what it does
 */
export async function endingLeftBehind(work: () => Promise<void>): Promise<void> {
  const isAdopting = libcPath() !== null && adoptOrphans();
  try {
    await work();
  } finally {
    if (isAdopting) await endBelow();
  }
}

async function endBelow(): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const left = descendantsOf(Deno.pid).filter(isAlive);
    if (left.length === 0) return;
    for (const pid of left) sendSignal(pid, "SIGKILL");
    await pause(POLL_MS);
  }
}
