import { shuffle } from "../../stats/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { ENTRY, entryKey } from "./chains.ts";
import { inNetworkOf } from "./in_network.ts";
import { type LoadOrder, makeLoad, warmUp } from "./make_load.ts";
import type { Values } from "./params.ts";
import { emitProxy, readProxy } from "./proxy_stats.ts";
import type { Tables } from "./tables.ts";
import { type Cell, cellsOf } from "./variants.ts";

/**
 * Ports in TIME_WAIT are not used again. Over loopback Linux would do so after a second, and over a network not at all:
 * what is measured here is to be what a proxy and its backend on two machines meet.
 */
export const NO_REUSE = { "net.ipv4.tcp_tw_reuse": 0 } as const;

/** How long the first load of a cell takes at most, whose numbers do not count, in milliseconds. */
const WARM_UP_MS = 200;

/**
 * How long the loads of a cell take, one after another.
 *
 * @param params the parameters
 * @returns the time of the load that is not counted, and that of each of those that are, in milliseconds
 */
export function loadTimes({ duration, rounds }: Pick<Values, "duration" | "rounds">): {
  readonly warmUpMs: number;
  readonly roundMs: number;
} {
  const roundMs = duration / rounds;
  return { roundMs, warmUpMs: Math.min(WARM_UP_MS, roundMs) };
}

/**
 * Loads every path with every number of clients, again and again: in each round, and for each number of clients, the
 * paths follow one another in an order drawn anew, so that whatever slows the machine down slows all of them.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measureThroughput(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const { random, progress, signal } = context;
  const { warmUpMs, roundMs } = loadTimes(params);
  const groups = [...Map.groupBy(cellsOf(params), ({ clients }) => clients).values()];
  const total = (params.rounds + 1) * groups.length;
  for (let round = 0; round <= params.rounds; round++) {
    for (const [group, cells] of groups.entries()) {
      const text = round === 0 ? "warming up" : `round ${round}, ${cells[0]!.clients} clients`;
      progress(round * groups.length + group, total, text);
      for (const [place, cell] of shuffle(cells, random).entries()) {
        if (signal.aborted) return;
        const loadedMs = round === 0 ? 0 : warmUpMs + (round - 1) * roundMs;
        const order = { ...cell, round, place, loadedMs, durationMs: round === 0 ? warmUpMs : roundMs };
        await loadCell(cell, order, { context, isLast: round === params.rounds });
      }
    }
  }
}

interface LoadCellOptions {
  readonly context: MeasureContext<Tables>;
  readonly isLast: boolean;
}

async function loadCell({ variant, path }: Cell, order: LoadOrder, options: LoadCellOptions): Promise<void> {
  const { context, isLast } = options;
  await inNetworkOf(context.servers[entryKey(variant)]!.pid, NO_REUSE, async () => {
    if (order.round === 0) await warmUp(order, context);
    else await makeLoad(order, context);
    if (isLast && path !== "direct") emitProxy(variant, await readProxy(ENTRY[path]), context);
  });
}
