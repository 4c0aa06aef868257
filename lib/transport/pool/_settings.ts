import { systemClock } from "./clock.ts";
import type { PoolOptions } from "./options.ts";

/** Options with every default in place; only a resolver may be missing. */
export type Settings = PoolOptions & Required<Omit<PoolOptions, "resolve">>;

type Limit =
  | "lifetimeMs"
  | "idleTimeoutMs"
  | "lifetimeJitter"
  | "maxIdlePerOrigin"
  | "maxPerOrigin"
  | "maxWaiting";

const positive = { text: "> 0", holds: (value: number) => value > 0 };
const count = (min: number) => ({
  text: `a whole number >= ${min}`,
  holds: (value: number) => value >= min && (Number.isInteger(value) || value === Infinity),
});

/** What each number must be. */
const RULES: Readonly<Record<Limit, { readonly text: string; holds(value: number): boolean }>> = {
  lifetimeMs: positive,
  idleTimeoutMs: positive,
  lifetimeJitter: { text: "a share from 0 to 1", holds: (value) => value >= 0 && value <= 1 },
  maxIdlePerOrigin: count(0),
  maxPerOrigin: count(1),
  maxWaiting: count(0),
};

/**
 * Puts defaults in place and refuses what makes no pool.
 *
 * @throws {RangeError} a number is out of its range
 */
export function settingsOf(options: PoolOptions): Settings {
  const settings: Settings = {
    lifetimeMs: Infinity,
    lifetimeJitter: 0,
    idleTimeoutMs: Infinity,
    maxIdlePerOrigin: Infinity,
    maxPerOrigin: Infinity,
    maxWaiting: Infinity,
    watchIdle: true,
    random: Math.random,
    clock: systemClock,
    ...options,
  };
  for (const [name, { text, holds }] of Object.entries(RULES)) {
    const value = settings[name as Limit];
    if (!holds(value)) {
      throw new RangeError(`Cannot make pool as ${name} must be ${text}: current value is ${value}`);
    }
  }
  return settings;
}
