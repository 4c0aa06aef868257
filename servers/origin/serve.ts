import { cannotListen } from "../_shared/program.ts";
import { listenDeno } from "./deno_stack.ts";
import type { OriginFlags } from "./flags.ts";
import type { Identity } from "./identity.ts";
import { listenNode, nodeDefaults } from "./node_stack.ts";
import { Site } from "./site.ts";
import type { Facts, ThreadReport } from "./stats.ts";

const LISTEN = { deno: listenDeno, node: listenNode };

/** The ports of the origin, the first one first. */
export type Ports = readonly [number, ...number[]];

/** An origin that listens. */
export interface Serving {
  /** Where. */
  readonly ports: Ports;
  /** Asks every thread what it has counted. */
  gather(): Promise<readonly ThreadReport[]>;
}

/** What one thread serves with. */
export interface ServeOptions {
  /** What it shows over TLS; `null` on plain ports. */
  readonly identity: Identity | null;
  /** Where it listens; 0 lets the system choose. */
  readonly ports: Ports;
  /** Asks every thread, where others serve the same ports. @default {this is the only one} */
  readonly gather?: Serving["gather"];
}

/**
 * What does not change while the origin serves.
 *
 * @param flags what it was told
 * @returns that, and what its stack comes with
 */
export function factsOf({ stack, tls, brakes, backlog, descriptors }: OriginFlags): Facts {
  return { stack, tls, brakes, backlog, descriptors, defaults: stack === "node" ? nodeDefaults() : null };
}

/**
 * The ports that are asked for.
 *
 * @param flags what the origin was told
 * @returns the first one, and a 0 for each further one
 */
export function portsWanted({ port, ports }: OriginFlags): Ports {
  return [port, ...new Array<number>(ports).fill(0)];
}

/**
 * Serves in the calling thread.
 *
 * @param flags what the origin was told
 * @param options where, and with whom
 * @returns its site, and its ports
 * @throws {CannotRunHereError} a port cannot be had
 */
export async function serve(
  flags: OriginFlags,
  { identity, ports, gather }: ServeOptions,
): Promise<{ site: Site; ports: Ports }> {
  const { stack, hostname, brakes, backlog } = flags;
  const site = new Site({ facts: factsOf(flags), ...(gather && { gather }) });
  const isShared = gather !== undefined;
  const listenOn = async (port: number) => {
    try {
      return await LISTEN[stack](site, { hostname, port, identity, brakes, backlog, isShared });
    } catch (error) {
      throw cannotListen(hostname, port, error);
    }
  };
  const [first, ...further] = ports;
  const listening: [number, ...number[]] = [await listenOn(first)];
  for (const port of further) listening.push(await listenOn(port));
  return { site, ports: listening };
}
