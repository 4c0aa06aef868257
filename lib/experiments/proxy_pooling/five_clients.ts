import { readSockets } from "../../system/mod.ts";
import { openClient } from "../../transport/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { entryKey, HOSTNAME, PORTS } from "./chains.ts";
import { inNetworkOf } from "./in_network.ts";
import { countingAt } from "./proxy_stats.ts";
import type { Tables } from "./tables.ts";
import { FIVE, FIVE_AT } from "./variants.ts";

/** Clients that ask one after another and keep their connections. */
export const CLIENTS = 5;

/**
 * Lets clients make one request each, one after another, and keep their connections: what the socket table shows on
 * either side of the proxy after each.
 *
 * @param context where rows and progress go
 */
export async function measureFiveClients(context: MeasureContext<Tables>): Promise<void> {
  const { emit, servers, signal } = context;
  const turn = { variant: FIVE, round: 1, port: PORTS.proxy };
  const ask = async () => {
    using opened = new DisposableStack();
    for (let requests = 1; requests <= CLIENTS && !signal.aborted; requests++) {
      const target = { hostname: HOSTNAME, port: PORTS.proxy };
      const client = opened.use(openClient("raw/shared", target, { path: "/static" }));
      const { status } = await client.request();
      emit("hops", {
        ...{ variant: FIVE, requests, status },
        clientConnections: establishedTo(PORTS.proxy),
        backendConnections: establishedTo(PORTS.origin),
      });
    }
  };
  await inNetworkOf(servers[entryKey(FIVE_AT)]!.pid, {}, () => countingAt(turn, context, ask));
}

/** Connections to a port, by the ends that opened them. */
function establishedTo(port: number): number {
  const sockets = readSockets({ ports: new Set([port]), states: new Set(["ESTABLISHED"]) });
  return sockets.filter(({ peer }) => peer.port === port).length;
}
