import type { MeasureContext } from "../contract.ts";
import { LOOPBACK } from "../_shared/loopback.ts";
import { measureFiveClients } from "./five_clients.ts";
import type { Values } from "./params.ts";
import { measurePauses } from "./pauses.ts";
import { measureShortage } from "./shortage.ts";
import type { Tables } from "./tables.ts";
import { measureThroughput } from "./throughput.ts";

/**
 * Measures the paths with every number of clients, then where ports run short, where idle connections end, and where
 * five clients share one connection.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measure(params: Values, context: MeasureContext<Tables>): Promise<void> {
  context.warn({
    ...LOOPBACK,
    message:
      "Client, proxy and backend share this machine, its processors too, and over loopback a handshake costs " +
      "microseconds: over a network a proxy without a pool loses more",
    remedy:
      "Take the counts and the order of the paths from here, and the ratio from the network in question",
  });
  await measureFiveClients(context);
  await measurePauses(params, context);
  await measureThroughput(params, context);
  await measureShortage(params, context);
}
