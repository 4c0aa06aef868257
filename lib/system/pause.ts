/**
 * Waits, or less long when a signal aborts: what goes on afterwards looks at the signal itself.
 *
 * @param ms how long, in milliseconds
 * @param signal ends the wait
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    if (signal?.aborted) wake();
    else signal?.addEventListener("abort", wake);
  });
}
