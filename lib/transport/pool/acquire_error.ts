/** What a request that gets no connection was doing last: waiting its turn, resolving the name, connecting. */
export type AcquirePhase = "queue" | "dns" | "connect";

/** How long each phase of getting a connection took, in milliseconds; `null` for one that did not happen. */
export type AcquireTimes = Readonly<Record<AcquirePhase, number | null>>;

/**
 * No connection could be had. Its cause is what connecting or resolving threw, or the reason of the signal;
 * it has none when the queue is full.
 *
 * @example
 * ```ts ignore
 * try {
 *   using lease = await pool.acquire(origin, { signal: AbortSignal.timeout(100) });
 * } catch (error) {
 *   if (error instanceof AcquireError) console.log(`Gave up in phase ${error.phase}`, error.cause);
 * }
 * ```
 */
export class AcquireError extends Error {
  /** Its name. */
  override readonly name = "AcquireError";
  /** What it was doing last. */
  readonly phase: AcquirePhase;
  /** How long each phase took; the last one has the time that went by in it. */
  readonly times: AcquireTimes;
  /** The address to which it was connecting; `null` before it was known. */
  readonly address: string | null;

  /**
   * Says that no connection could be had.
   *
   * @param message what could not be had, and why
   * @param options how far it came
   */
  constructor(
    message: string,
    options: ErrorOptions & { phase: AcquirePhase; times: AcquireTimes; address: string | null },
  ) {
    super(message, options);
    this.phase = options.phase;
    this.times = options.times;
    this.address = options.address;
  }
}
