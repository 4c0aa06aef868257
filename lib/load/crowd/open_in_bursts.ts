import type { HolderJob } from "./holder.ts";

/**
 * Begins the connections of a job in their order, as many at once as it allows: the next one whenever one is open or
 * has failed.
 *
 * @param job how many, and where they are written down
 * @param signal begins no further ones
 * @param open opens one, which was begun; it does not reject
 * @returns once each is open or has failed
 */
export async function openInBursts(
  { ledger, burst, now }: HolderJob,
  signal: AbortSignal,
  open: (connection: number) => Promise<void>,
): Promise<void> {
  const go = async () => {
    while (ledger.begun < ledger.size && !signal.aborted) await open(ledger.begin(now()));
  };
  await Promise.all(Array.from({ length: Math.min(burst, ledger.size) }, go));
}
