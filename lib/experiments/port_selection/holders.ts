import { Holder, type RawSocket } from "../../system/mod.ts";
import type { MeasureContext, ServerSpec } from "../contract.ts";
import type { Arm } from "./plan.ts";

/** Sockets that the measuring process itself keeps: a common limit of descriptors is 20,000. */
export const MOST_SOCKETS_HERE = 16_000;

/** Sockets that the measuring process may have beyond those, until it hands them on. */
export const MOST_SURPLUS = 1000;

/** Sockets that one holder keeps. */
const MOST_SOCKETS_HELD = 16_000;

/** Descriptors of a holder beside those of its sockets. */
const SPARE_DESCRIPTORS = 64;

/** The key of a holder among the servers. */
function keyOf(index: number): string {
  return `holder-${index + 1}`;
}

/** How many holders an arm needs. */
function holdersOf({ connects }: Arm): number {
  return Math.ceil(Math.max(0, connects - MOST_SOCKETS_HERE) / MOST_SOCKETS_HELD);
}

/**
 * The programs that keep the sockets of which the measuring process may have no more.
 *
 * @param arms what is measured
 * @returns as many as the largest arm needs
 */
export function holderSpecs(arms: readonly Arm[]): ServerSpec[] {
  return Array.from({ length: Math.max(0, ...arms.map(holdersOf)) }, (_, index) => ({
    name: "holder",
    as: keyOf(index),
    flags: [],
    net: [],
    libc: true,
    descriptors: MOST_SOCKETS_HELD + SPARE_DESCRIPTORS,
  }));
}

/** Keeps the sockets of one arm after another, as many as there are, in this process and in the holders. */
export class Holders implements Disposable {
  readonly #holders: readonly Holder[];

  /**
   * Connects to the holders of a run. Do so before this thread moves to another network.
   *
   * @param servers the servers of the run
   */
  constructor(servers: MeasureContext["servers"]) {
    const handles = Object.entries(servers).filter(([key]) => key.startsWith("holder-"));
    this.#holders = handles.map(([_, { pid }]) => Holder.connect(pid));
  }

  /**
   * Takes over the sockets of which there are too many here.
   *
   * @param sockets sockets that are open here; those taken over are taken out
   * @throws {Error} no holder has room for them
   */
  take(sockets: RawSocket[]): void {
    while (sockets.length > MOST_SOCKETS_HERE) {
      const holder = this.#holders.find(({ held }) => held < MOST_SOCKETS_HELD);
      const room = MOST_SOCKETS_HELD - (holder?.held ?? 0);
      const surplus = sockets.splice(MOST_SOCKETS_HERE, room);
      const outcome = holder?.hold(surplus);
      if (outcome?.ok) continue;
      for (const socket of surplus) socket.close();
      throw new Error(`Cannot keep sockets as no holder takes them: ${outcome?.kind ?? "all are full"}`);
    }
  }

  /** Has the holders close what they keep. */
  letGo(): void {
    for (const holder of this.#holders) if (holder.held > 0) holder.letGo();
  }

  /** Leaves the holders. */
  [Symbol.dispose](): void {
    for (const holder of this.#holders) holder[Symbol.dispose]();
  }
}
