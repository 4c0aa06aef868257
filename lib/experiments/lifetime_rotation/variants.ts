import type { Values } from "./params.ts";

/** The arms of blue-green: pools without a lifetime and with one, their connections mostly idle or in use. */
export const MOVING_VARIANTS = ["none/idle", "none/busy", "lifetime/idle", "lifetime/busy"] as const;

/** One of {@linkcode MOVING_VARIANTS}. */
export type MovingVariant = (typeof MOVING_VARIANTS)[number];

/** What has requests of its own, in the order in which it is told. */
export const VARIANTS = ["rotation", "shared", "apart", ...MOVING_VARIANTS] as const;

/** One of {@linkcode VARIANTS}. */
export type Variant = (typeof VARIANTS)[number];

/**
 * The lifetimes whose cost is measured, each once, by the name of their variant; `none` comes first.
 *
 * @param values the parameters
 */
export function costVariants({ sweepLifetimes }: Pick<Values, "sweepLifetimes">): Map<string, number> {
  const lifetimes = [...new Set(sweepLifetimes)].sort((left, right) => left - right);
  return new Map([["none", Infinity], ...lifetimes.map((ms): [string, number] => [`${ms}ms`, ms])]);
}

/**
 * The jitters of a run, each once.
 *
 * @param values the parameters
 */
export function jitters({ sweepJitters }: Pick<Values, "sweepJitters">): number[] {
  return [...new Set(sweepJitters)].sort((left, right) => left - right);
}
