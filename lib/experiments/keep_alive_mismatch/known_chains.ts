import type { Chain, Hop } from "./chain.ts";

/** A chain that people run, with where its limits are documented. */
export interface KnownChain extends Chain {
  /** The documents that state the limits. */
  readonly source: string;
}

function hop(role: Hop["role"], name: string, idleS: number | null, closes: Hop["closes"] = "fin"): Hop {
  return { name, role, idleMs: idleS === null ? null : idleS * 1000, closes };
}

const NET_5 = hop("client", ".NET 5", 120);
const NET_8 = hop("client", ".NET 8", 60);
const KESTREL = hop("server", "Kestrel", 130);
const NODE = hop("server", "node:http", 5);
const GO_SERVER = hop("server", "Go server", null);
const BALANCER = hop("balancer", "balancer", 60);
const PACKET_BALANCER = hop("middlebox", "Network Load Balancer", 350, "reset");
const NGINX: Hop = { ...hop("balancer", "nginx", 75), keepsMs: 60_000 };

/**
 * Chains known from the field, with limits as they are when nobody sets them: judged from data, nothing is
 * waited for.
 */
export const KNOWN_CHAINS: readonly KnownChain[] = [
  {
    name: ".NET 5 to Kestrel",
    hops: [NET_5, KESTREL],
    source:
      "Microsoft Learn: SocketsHttpHandler.PooledConnectionIdleTimeout, KestrelServerLimits.KeepAliveTimeout",
  },
  {
    name: ".NET 5 to Kestrel behind a 60 s balancer",
    hops: [NET_5, BALANCER, KESTREL],
    source: "as above; AWS: idle timeout of an Application Load Balancer",
  },
  {
    name: ".NET 8 to Kestrel behind a 60 s balancer",
    hops: [NET_8, BALANCER, KESTREL],
    source: "as above",
  },
  {
    name: "node behind a 60 s balancer",
    hops: [hop("client", "undici", 4), BALANCER, NODE],
    source: "nodejs.org v22: server.keepAliveTimeout; undici: Client option keepAliveTimeout; AWS as above",
  },
  {
    name: ".NET 8 to node behind nginx",
    hops: [NET_8, NGINX, NODE],
    source: "nginx.org: keepalive_timeout, and that of upstream; the others as above",
  },
  {
    name: "Go to Go through a balancer of packets",
    hops: [hop("client", "Go client", 90), PACKET_BALANCER, GO_SERVER],
    source:
      "pkg.go.dev: net/http DefaultTransport, Server.IdleTimeout; AWS: idle timeout of a Network Load Balancer",
  },
  {
    name: "A pool without a limit through a balancer of packets",
    hops: [hop("client", "pool", null), PACKET_BALANCER, GO_SERVER],
    source: "as above",
  },
  {
    name: "A pool of 5 minutes through a silent balancer",
    hops: [
      hop("client", "pool", 300),
      hop("middlebox", "Azure Load Balancer", 240, "silent"),
      GO_SERVER,
    ],
    source: "Microsoft Learn: Load Balancer TCP reset and idle timeout; Go as above",
  },
];
