import { type ArmRows, connected } from "./arm_rows.ts";

/** How many ports a program tried while one part of the range after another was filled. */
export interface AttemptsAtUse {
  /** The share of the range in use, in the middle of this part. */
  readonly use: number;
  /** Connections made in this part. */
  readonly connections: number;
  /** Ports tried for a connection, in the mean. */
  readonly attempts: number;
  /** What random choice comes to at that use: 1 ÷ (1 − use), in the mean over the part. */
  readonly expected: number;
}

/**
 * Ports tried for a connection, against the share of the range in use.
 *
 * @param arm an arm in which the program itself chooses
 * @param width the width of a part, as a share of the range
 * @returns the parts in which a connection was made
 */
export function attemptsAtUse(arm: ArmRows, width: number): AttemptsAtUse[] {
  const parts = Map.groupBy(connected(arm), (place) => Math.floor(arm.uses[place]! / width + 1e-9));
  return [...parts].map(([part, places]) => {
    const sum = (number: (place: number) => number) =>
      places.reduce((total, place) => total + number(place), 0);
    return {
      use: (part + 0.5) * width,
      connections: places.length,
      attempts: sum((place) => arm.attempts[place]!) / places.length,
      expected: sum((place) => 1 / (1 - arm.uses[place]!)) / places.length,
    };
  });
}
