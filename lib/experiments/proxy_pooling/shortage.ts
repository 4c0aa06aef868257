import type { RequestRow } from "../../load/mod.ts";
import { MisuseError } from "../../record/mod.ts";
import { countPorts } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { ENTRY, entryKey, SHORTAGE_CONNECTIONS } from "./chains.ts";
import { inNetworkOf } from "./in_network.ts";
import { makeLoad } from "./make_load.ts";
import type { Values } from "./params.ts";
import { countingAt } from "./proxy_stats.ts";
import type { Tables } from "./tables.ts";
import { NO_REUSE } from "./throughput.ts";
import { SHORTAGES } from "./variants.ts";

/** How many requests there are for each port. */
const OVERLOAD = 2;

/** Requests per second that a proxy without a pool keeps up with on a slow machine. */
const MOST_RATE = 2500;

/** The first port of the private range: below that of Linux, above those of the servers. */
const FIRST_PORT = 10_000;

/**
 * The rate at which requests come for twice the ports within the duration.
 *
 * @param params the parameters
 * @returns the rate, in requests per second
 * @throws {MisuseError} the ports are an odd number, or too many for the duration
 */
export function shortageRate({ ports, duration }: Pick<Values, "ports" | "duration">): number {
  if (ports % 2 !== 0) {
    throw new MisuseError(
      `Cannot predict for ${ports} ports as it is left to chance whether connect() finds the last one of an odd ` +
        "number: give an even number (--ports)",
    );
  }
  const ratePerSecond = OVERLOAD * ports / (duration / 1000);
  if (ratePerSecond > MOST_RATE) {
    throw new MisuseError(
      `Cannot use up ${ports} ports in ${duration / 1000} s as that takes ${
        Math.round(ratePerSecond)
      } requests per ` +
        `second, and ${MOST_RATE} are sure: give fewer --ports or a longer --duration`,
    );
  }
  return ratePerSecond;
}

/**
 * Lets requests come, at a rate that does not depend on the answers, for more connections than there are ports: through
 * a proxy without a pool, and through one with it.
 *
 * @param params the parameters
 * @param context where rows and progress go
 * @throws {Error} the range of ports, or how long TIME_WAIT lasts, is not known here
 */
export async function measureShortage(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const { ports, duration: durationMs } = params;
  const { timeWaitMs, ephemeralPorts } = context.environment.network;
  if (timeWaitMs === null || ephemeralPorts === null) {
    throw new Error("Cannot predict as the range of ports or the time of TIME_WAIT is not known here");
  }
  const systemPorts = countPorts(ephemeralPorts, []);
  const ratePerSecond = shortageRate(params);
  const settings = {
    ...NO_REUSE,
    "net.ipv4.ip_local_port_range": [FIRST_PORT, FIRST_PORT + ports - 1],
  } as const;
  for (const [place, { variant, path }] of SHORTAGES.entries()) {
    if (context.signal.aborted) return;
    context.progress(place, SHORTAGES.length, `${variant}: ${ports} ports`);
    await inNetworkOf(context.servers[entryKey(variant)]!.pid, settings, async () => {
      const turn = { variant, path, round: 1, port: ENTRY[path] };
      const order = { ...turn, clients: SHORTAGE_CONNECTIONS, place, loadedMs: 0, durationMs, ratePerSecond };
      const { rows } = await countingAt(turn, context, () => makeLoad(order, context));
      context.emit("shortages", { variant, ports, timeWaitMs, ratePerSecond, durationMs, systemPorts });
      emitOutcomes(variant, rows!, context);
    });
  }
}

/** What each request came to, in the order in which they began: those in a row that came to the same are one row. */
function emitOutcomes(
  variant: string,
  requests: readonly RequestRow[],
  { emit }: Pick<MeasureContext<Tables>, "emit">,
): void {
  const ended = requests.filter(({ endMs }) => endMs !== null);
  const isNext = ({ status, failure }: RequestRow, last: RequestRow) =>
    status === last.status && failure === last.failure;
  for (let order = 0, next = 0; order < ended.length; order = next) {
    const first = ended[order]!;
    while (next < ended.length && isNext(ended[next]!, first)) next++;
    emit("outcomes", {
      ...{ variant, order, requests: next - order, firstMs: first.startMs, lastMs: ended[next - 1]!.startMs },
      ...{ status: first.status, failureKind: first.failure },
    });
  }
}
