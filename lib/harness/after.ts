/** The longest time that a timer takes: 2^31 - 1 ms, about 25 days. What is more fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Does something later, however much later.
 *
 * @param delayMs how much later, in milliseconds
 * @param act what is done
 * @returns what calls it off
 */
export function after(delayMs: number, act: () => void): Disposable {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (leftMs: number) => {
    timer = leftMs > LONGEST_MS
      ? setTimeout(() => wait(leftMs - LONGEST_MS), LONGEST_MS)
      : setTimeout(act, leftMs);
  };
  wait(delayMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
