/**
 * Waits until a condition holds, looking every few milliseconds: what tests do in place of a sleep.
 *
 * @param condition what is waited for
 * @param timeoutMs how long at most, in milliseconds
 * @throws {Error} it did not hold in time
 */
export async function until(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`The condition did not hold within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
