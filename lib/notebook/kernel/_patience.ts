/**
 * Waits for a promise, but not for ever.
 *
 * @param promise what is waited for
 * @param timeoutMs how long at most, in milliseconds
 * @returns whether it was fulfilled in time
 * @throws what it was rejected with
 */
export async function settlesWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), timeoutMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
