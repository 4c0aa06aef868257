import type { OriginFlags } from "./flags.ts";
import type { Identity } from "./identity.ts";
import type { Site } from "./site.ts";

/** Where and how one port listens. */
export interface ListenOptions extends Pick<OriginFlags, "hostname" | "port" | "brakes" | "backlog"> {
  /** What it shows over TLS; `null` on a plain port. */
  readonly identity: Identity | null;
  /** Whether other threads listen on the port too. */
  readonly isShared: boolean;
}

/**
 * Serves a site at one port.
 *
 * @param site what is served
 * @param options where and how
 * @returns the port
 */
export type Listen = (site: Site, options: ListenOptions) => Promise<number>;
