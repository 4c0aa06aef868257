import { libc } from "./libc.ts";
import type { Lifeline } from "./lifeline.ts";

/**
 * Makes sure that this process ends soon after it was told to, whatever it does by then: it may be in a loop
 * that never comes back to its events, or wait for something that never comes. A thread of its own looks for
 * the end of the pipe to the parent, and for SIGTERM: it sleeps in the kernel until then, and takes no time of
 * what the process measures.
 *
 * Needs `--allow-ffi` of the C library. Without it the process ends in time only if it comes back to its
 * events.
 *
 * @param lifeline what tells it to end
 * @param graceMs how long it may go on after that, in milliseconds
 * @returns settles when the thread sleeps
 */
export async function endInTime(lifeline: Lifeline, graceMs: number): Promise<void> {
  if (!canKill()) {
    lifeline.signal.addEventListener("abort", () => setTimeout(() => Deno.exit(1), graceMs));
    return;
  }
  const worker = new Worker(new URL("_end_in_time_worker.ts", import.meta.url), { type: "module" });
  const asleep = Promise.withResolvers<void>();
  worker.onmessage = () => asleep.resolve();
  worker.onerror = ({ message }) => asleep.reject(new Error(message));
  worker.postMessage(graceMs);
  await asleep.promise;
}

function canKill(): boolean {
  try {
    libc();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotSupported) return false;
    throw error;
  }
}
