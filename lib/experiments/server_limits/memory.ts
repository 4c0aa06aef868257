import { type LinearFit, linearFit, quantile } from "../../stats/mod.ts";
import type { ArmView } from "./arm_view.ts";

/** How much memory servers had while a number of connections was held. */
export interface MemorySize {
  /** Connections that were open. */
  readonly connections: number;
  /** Resident memory of all servers together, of each the median of some looks, in bytes. */
  readonly bytes: number;
}

/** From how many sizes on a share is given to each connection. */
const LEAST_SIZES = 3;

/**
 * The memory of an arm's servers at each number of connections that they held.
 *
 * @param view the arm
 * @returns the sizes in ascending order; none where it is not known, or the client does not tell what is open
 */
export function memorySizes({ readings }: ArmView): MemorySize[] {
  const looks = readings.filter(({ moment, open, rssBytes }) =>
    moment === "held" && open !== null && rssBytes !== null
  );
  const sizes = [...Map.groupBy(looks, ({ open }) => open!)].map(([connections, looks]) => {
    const bytes = [...Map.groupBy(looks, ({ server }) => server).values()]
      .reduce((sum, looks) => sum + quantile(looks.map(({ rssBytes }) => rssBytes!), 0.5), 0);
    return { connections, bytes };
  });
  return sizes.sort((a, b) => a.connections - b.connections);
}

/**
 * The line through the sizes of an arm: its slope is what each connection takes.
 *
 * @param sizes the sizes
 * @returns the line; `null` with fewer than three sizes
 */
export function memoryLine(sizes: readonly MemorySize[]): LinearFit | null {
  if (sizes.length < LEAST_SIZES) return null;
  return linearFit(sizes.map(({ connections }) => connections), sizes.map(({ bytes }) => bytes));
}
