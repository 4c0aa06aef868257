import { openClient } from "../../transport/mod.ts";
import { pause } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { entryKey, HOSTNAME, PORTS, STALE_CLIENTS, STALE_IDLE_MS } from "./chains.ts";
import { inNetworkOf } from "./in_network.ts";
import type { Values } from "./params.ts";
import { countingAt } from "./proxy_stats.ts";
import type { Tables } from "./tables.ts";
import { STALE, type StaleVariant, staleVariants } from "./variants.ts";

/** Rounds of requests, each but the first after a pause. */
export const PAUSED_ROUNDS = 5;

/** How long connections are idle between them, in milliseconds: longer than the middlebox allows. */
export const PAUSE_MS: number = 2 * STALE_IDLE_MS;

/** A proxy with clients that keep their connections to it. */
interface Arm {
  readonly variant: StaleVariant;
  readonly port: number;
  readonly clients: readonly ReturnType<typeof openClient>[];
}

/**
 * Lets clients ask at once, again and again, with pauses in which the connections behind the proxy end: those of the
 * clients stay. Proxies with and without a retry have the same pauses.
 *
 * @param params the parameters
 * @param context where rows and progress go
 */
export async function measurePauses(params: Values, context: MeasureContext<Tables>): Promise<void> {
  const variants = staleVariants(params);
  await inNetworkOf(context.servers[entryKey(variants[0]!)]!.pid, {}, async () => {
    using opened = new DisposableStack();
    const arms = variants.map((variant): Arm => {
      const port = STALE[variant] === "on" ? PORTS.proxy : PORTS.otherProxy;
      const open = () =>
        opened.use(openClient("raw/shared", { hostname: HOSTNAME, port }, { path: "/static" }));
      return { variant, port, clients: Array.from({ length: STALE_CLIENTS }, open) };
    });
    for (let round = 1; round <= PAUSED_ROUNDS; round++) {
      context.progress(round - 1, PAUSED_ROUNDS, `idle connections end, round ${round}`);
      if (round > 1) await pause(PAUSE_MS, context.signal);
      if (context.signal.aborted) return;
      for (const arm of arms) await ask(arm, round, context);
    }
  });
}

async function ask(
  { variant, port, clients }: Arm,
  round: number,
  context: MeasureContext<Tables>,
): Promise<void> {
  const exchanges = await countingAt(
    { variant, round, port },
    context,
    () => Promise.all(clients.map((client) => client.request())),
  );
  const answered = exchanges.filter(({ status, failure }) => status === 200 && failure === null).length;
  context.emit("pauses", {
    ...{ variant, round, pauseMs: round === 1 ? 0 : PAUSE_MS, requests: exchanges.length },
    ...{ answered, failed: exchanges.length - answered },
  });
}
