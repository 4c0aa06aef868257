import { CONDITIONS } from "../../record/mod.ts";
import { shuffle } from "../../stats/mod.ts";
import { timeWaitTotal } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { ENTRY, entryKey } from "./chains.ts";
import { inNetworkOf } from "./in_network.ts";
import { type LoadOrder, makeLoad, warmUp } from "./make_load.ts";
import type { Values } from "./params.ts";
import { countingAt } from "./proxy_stats.ts";
import type { Tables } from "./tables.ts";
import { type Cell, cellsOf } from "./variants.ts";

/**
 * Ports in TIME_WAIT are not used again. Over loopback Linux would do so after a second, and over a network not at all:
 * what is measured here is to be what a proxy and its backend on two machines meet.
 */
export const NO_REUSE = { "net.ipv4.tcp_tw_reuse": 0 } as const;

/**
 * The ports of a cell: more than a system gives by itself, since what is compared is what a connection costs, and not
 * the want of ports, which is measured by itself.
 */
const CELL_PORTS = [10_000, 65_535] as const;

/** The share of the ports in TIME_WAIT from which on connect() is slow: half of them, but for the last few. */
const SLOW_SHARE = 0.48;

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
  return { roundMs, warmUpMs: Math.min(WARM_UP_MS, roundMs / 2) };
}

/**
 * Loads every path with every number of clients, again and again: in each round the numbers follow one another in an
 * order drawn anew, and so do the paths with each number, so that whatever slows the machine down slows all of them.
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
    for (const [group, cells] of shuffle(groups, random).entries()) {
      const text = round === 0 ? "warming up" : `round ${round}, ${cells[0]!.clients} clients`;
      progress(round * groups.length + group, total, text);
      for (const [place, cell] of shuffle(cells, random).entries()) {
        if (signal.aborted) return;
        const loadedMs = round === 0 ? 0 : warmUpMs + (round - 1) * roundMs;
        const order = { ...cell, round, place, loadedMs, durationMs: round === 0 ? warmUpMs : roundMs };
        await loadCell(cell, order, context);
      }
    }
  }
}

async function loadCell(
  { variant, path }: Cell,
  order: LoadOrder,
  context: MeasureContext<Tables>,
): Promise<void> {
  const { round } = order;
  const load = async () => void await (round === 0 ? warmUp(order, context) : makeLoad(order, context));
  const turn = { variant, round, port: ENTRY[path] };
  const counted = path === "direct" ? load : () => countingAt(turn, context, load);
  const settings = { ...NO_REUSE, "net.ipv4.ip_local_port_range": CELL_PORTS };
  await inNetworkOf(context.servers[entryKey(variant)]!.pid, settings, async () => {
    await counted();
    warnOfHalf(variant, context);
  });
}

/** Source: Linux, `net/ipv4/inet_hashtables.c`: ports of one parity are tried first, and each that is taken costs time. */
function warnOfHalf(variant: string, { warn }: MeasureContext<Tables>): void {
  const ports = CELL_PORTS[1] - CELL_PORTS[0] + 1;
  const taken = timeWaitTotal();
  if (taken < SLOW_SHARE * ports) return;
  warn({
    code: "half-of-ports-taken",
    message: `${variant}: of ${ports} ports ${taken} are in TIME_WAIT, and ${
      CONDITIONS["half-of-ports-taken"].symptom
    }`,
    remedy:
      "Give a shorter --duration to compare what connections cost: this is the want of ports, which begins here",
  });
}
