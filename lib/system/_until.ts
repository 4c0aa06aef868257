/**
 * Waits until a condition holds, looking every few milliseconds: what tests do in place of a sleep.
 *
 * @param condition what is waited for: anything but `null` and `undefined`
 * @param options how long at most, in milliseconds
 * @returns what the condition gave
 */
export async function until<T>(
  condition: () => T | null | undefined,
  options: { readonly timeoutMs?: number } = {},
): Promise<T> {
  const { timeoutMs = 10_000 } = options;
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = condition();
    if (value !== null && value !== undefined) return value;
    if (performance.now() > end) throw new Error(`The condition did not hold within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
