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
  readonly #looks: {
    readonly atMs: number;
    readonly hop: string;
    readonly counts: ReturnType<typeof countSockets>;
  }[] = [];

  /** @param path whose sockets they are */
  constructor(path: Path) {
    this.#hops = HOPS[path];
  }

  /**
   * Counts at the beginning and at the end of something, and every now and then between. That takes milliseconds where
   * there are thousands of sockets in TIME_WAIT, and so would take from a proxy without a pool what it leaves to the
   * others: not where paths are compared.
   *
   * @param work what goes on meanwhile
   * @param between whether it counts between the beginning and the end
   * @returns what it comes to
   */
  async during<T>(work: () => Promise<T>, between: boolean): Promise<T> {
    this.#look();
    const timer = between ? setInterval(() => this.#look(), EVERY_MS) : undefined;
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.#look();
    }
  }

  #look(): void {
    const atMs = performance.timeOrigin + performance.now();
    for (const { name, port } of this.#hops) {
      this.#looks.push({ atMs, hop: name, counts: countSockets(new Set([port])) });
    }
  }

  /**
   * Records what was counted since the load began, before which its thread had to start, and at last before it.
   *
   * @param variant whose sockets they are
   * @param load when it began, in milliseconds since 1970, and how long the variant had been loaded before
   * @param context where rows go
   */
  emit(
    variant: string,
    { startMs, loadedMs }: { readonly startMs: number; readonly loadedMs: number },
    { emit }: Pick<MeasureContext<Tables>, "emit">,
  ): void {
    const beganMs = this.#looks.findLast(({ atMs }) => atMs <= startMs)?.atMs ?? startMs;
    for (const { atMs, hop, counts } of this.#looks) {
      if (atMs < beganMs) continue;
      for (const { state, side, count } of counts) {
        if (state === "LISTEN") continue;
        const end = side === "client" ? "near" : "far";
        emit("sockets", {
          variant,
          loadedMs: loadedMs + Math.max(0, atMs - startMs),
          hop,
          end,
          state,
          count,
        });
      }
    }
  }
}
