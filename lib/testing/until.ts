/**
 * Waits until a condition holds, looking every few milliseconds: what tests do in place of a sleep.
 *
 * @param condition what is waited for: anything but `false`, `null` and `undefined`
 * @param timeoutMs how long at most, in milliseconds
 * @returns what the condition gave
 * @throws {Error} it did not hold in time
 */
export async function until<T>(
  condition: () => T | false | null | undefined | Promise<T | false | null | undefined>,
  timeoutMs = 10_000,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value;
    if (performance.now() > end) throw new Error(`The condition did not hold within ${timeoutMs} ms`);
    await new Promise((wake) => setTimeout(wake, 5));
  }
}
