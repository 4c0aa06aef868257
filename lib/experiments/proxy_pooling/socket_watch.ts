import { countSockets } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { PORTS } from "./chains.ts";
import type { Tables } from "./tables.ts";
import type { Path } from "./variants.ts";

/** How often sockets are counted, in milliseconds. */
const EVERY_MS = 200;

/** A part of a path, by the port that its connections go to. */
interface Hop {
  readonly name: string;
  readonly port: number;
}

const THROUGH_PROXY: readonly Hop[] = [
  { name: "client-proxy", port: PORTS.proxy },
  { name: "proxy-backend", port: PORTS.origin },
];

const HOPS: Readonly<Record<Path, readonly Hop[]>> = {
  direct: [{ name: "client-backend", port: PORTS.origin }],
  naive: THROUGH_PROXY,
  pooled: THROUGH_PROXY,
};

/** Counts the sockets of a path by hop and state, now and then. The calling thread must be in its network. */
export class SocketWatch {
  readonly #hops: readonly Hop[];
  readonly #now: () => number;
  readonly #looks: { readonly atMs: number; readonly hop: string; readonly counts: ReturnType<typeof countSockets> }[] =
    [];

  /**
   * @param path whose sockets they are
   * @param now the monotonic clock, in milliseconds
   */
  constructor(path: Path, now: () => number) {
    this.#hops = HOPS[path];
    this.#now = now;
  }

  /**
   * Counts at the beginning, every now and then, and at the end of something.
   *
   * @param work what goes on meanwhile
   * @returns what it comes to
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#look();
    const timer = setInterval(() => this.#look(), EVERY_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.#look();
    }
  }

  #look(): void {
    const atMs = this.#now();
    for (const { name, port } of this.#hops) {
      this.#looks.push({ atMs, hop: name, counts: countSockets(new Set([port])) });
    }
  }

  /**
   * Records what was counted.
   *
   * @param variant whose sockets they are
   * @param loadedMs how long it had been loaded before
   * @param context where rows go
   */
  emit(variant: string, loadedMs: number, { emit }: Pick<MeasureContext<Tables>, "emit">): void {
    const [first] = this.#looks;
    for (const { atMs, hop, counts } of this.#looks) {
      for (const { state, side, count } of counts) {
        if (state === "LISTEN") continue;
        const end = side === "client" ? "near" : "far";
        emit("sockets", { variant, loadedMs: loadedMs + atMs - first!.atMs, hop, end, state, count });
      }
    }
  }
}
