/**
 * Waits for a promise, unless a signal aborts first.
 *
 * @param signal what gives it up
 * @param promise what is waited for; when it is given up, what becomes of it is nobody's concern
 * @returns what the promise gives
 * @throws the reason of the signal, or what the promise rejects with
 */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
