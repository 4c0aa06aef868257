import { MisuseError } from "../../record/mod.ts";
import type { Values } from "./params.ts";

/** The ways to the backend that are compared: without a proxy, through one without a pool, and through one with it. */
export const PATHS = ["direct", "naive", "pooled"] as const;

/** One of {@linkcode PATHS}. */
export type Path = (typeof PATHS)[number];

/** A path with a number of clients. */
export interface Cell {
  /** Its name, such as `pooled/100`. */
  readonly variant: string;
  /** The way to the backend. */
  readonly path: Path;
  /** Clients at once. */
  readonly clients: number;
}

/** The variants that run short of ports: an open loop through a proxy with few of them. */
export const SHORTAGES = [
  { variant: "shortage/naive", path: "naive" },
  { variant: "shortage/pooled", path: "pooled" },
] as const satisfies readonly { readonly variant: string; readonly path: Path }[];

/** Whether a proxy sends a request once more when a kept connection is dead, by variant. */
export const STALE = { "stale/retry-on": "on", "stale/retry-off": "off" } as const;

/** A key of {@linkcode STALE}. */
export type StaleVariant = keyof typeof STALE;

/** Five clients, one after another, through a proxy with a pool. */
export const FIVE = "five/pooled";

/** Whose servers they ask, before those are loaded: every two processes less are felt when a run starts. */
export const FIVE_AT = "shortage/pooled" satisfies (typeof SHORTAGES)[number]["variant"];

/** More of them would be hundreds of processes. */
const MOST_NUMBERS = 8;

/**
 * The cells of a run, by number of clients and then by path.
 *
 * @param params the parameters
 * @returns the cells
 * @throws {MisuseError} a number of clients is there twice, or there are too many
 */
export function cellsOf({ clients }: Pick<Values, "clients">): Cell[] {
  const repeated = clients.find((count, place) => clients.indexOf(count) < place);
  if (repeated !== undefined) {
    throw new MisuseError(
      `Cannot compare paths with ${repeated} clients twice: name each number once (--clients)`,
    );
  }
  if (clients.length > MOST_NUMBERS) {
    throw new MisuseError(
      `Cannot compare paths with ${clients.length} numbers of clients as each has five processes: name at most ` +
        `${MOST_NUMBERS} (--clients)`,
    );
  }
  return clients.flatMap((count) =>
    PATHS.map((path) => ({ variant: `${path}/${count}`, path, clients: count }))
  );
}

/**
 * The variants with connections that end while they are idle.
 *
 * @param params the parameters
 * @returns the variants that were asked for
 */
export function staleVariants({ retryStale }: Pick<Values, "retryStale">): StaleVariant[] {
  return (Object.keys(STALE) as StaleVariant[])
    .filter((variant) => retryStale === "both" || STALE[variant] === retryStale);
}
