import type { ServerSpec } from "../contract.ts";
import type { Values } from "./params.ts";
import { cellsOf, type Path, SHORTAGES, STALE, staleVariants } from "./variants.ts";

/** The address of every server: each group of them has a network of its own. */
export const HOSTNAME = "127.0.0.1";

/** Where they listen, below every range of ephemeral ports. */
export const PORTS = { origin: 8080, proxy: 8081, middlebox: 8082, faulty: 8083, otherProxy: 8084 } as const;

/** Where a path begins: what its clients connect to. */
export const ENTRY: Readonly<Record<Path, number>> = {
  direct: PORTS.origin,
  naive: PORTS.proxy,
  pooled: PORTS.proxy,
};

/** Connections at once where the proxy runs short of ports: a request seldom waits for another. */
export const SHORTAGE_CONNECTIONS = 50;

/** How long the middlebox lets a flow be idle, in milliseconds. */
export const STALE_IDLE_MS = 150;

/** Clients that ask at once, of each proxy. */
export const STALE_CLIENTS = 4;

/** The network that all variants with stale connections share. */
const STALE_NETWORK = "stale";

/** Descriptors of a server beside those of its connections. */
const SPARE_DESCRIPTORS = 64;

/**
 * The key of a variant's last server before its backend: whose network is the variant's.
 *
 * @param variant the variant
 * @returns the key
 */
export function entryKey(variant: string): string {
  return `${variant} entry`;
}

/**
 * The servers of a run: a chain for each variant, in a network that nothing else has used.
 *
 * @param params the parameters
 * @returns the programs
 */
export function serversOf(params: Values): ServerSpec[] {
  return [
    ...cellsOf(params).flatMap(({ variant, path, clients }) => chain(variant, path, clients, params)),
    ...SHORTAGES.flatMap(({ variant, path }) => chain(variant, path, SHORTAGE_CONNECTIONS, params)),
    ...staleChain(params),
  ];
}

function chain(variant: string, path: Path, clients: number, { retryStale }: Values): ServerSpec[] {
  const origin = { name: "origin", network: variant, flags: portFlags(PORTS.origin) };
  const descriptors = clients + SPARE_DESCRIPTORS;
  if (path === "direct") return [{ ...origin, as: entryKey(variant), descriptors }];
  const flags = [
    ...["--pool", path === "pooled" ? "on" : "off", "--idle-per-backend", `${clients}`],
    ...["--retry-stale", retryStale === "off" ? "off" : "on"],
  ];
  return [
    { ...origin, as: `${variant} origin`, descriptors },
    proxy(variant, { flags, network: variant, backends: [PORTS.origin], descriptors: descriptors + clients }),
  ];
}

/** What {@linkcode proxy} is told. */
interface ProxyOptions {
  readonly flags: readonly string[];
  readonly network: string;
  readonly backends: readonly number[];
  readonly port?: number;
  readonly descriptors: number;
}

function proxy(variant: string, options: ProxyOptions): ServerSpec {
  const { flags, network, backends, port = PORTS.proxy, descriptors } = options;
  const backend = backends.map((port) => `${HOSTNAME}:${port}`).join();
  return {
    ...{ name: "proxy", as: entryKey(variant), network, descriptors },
    flags: [...portFlags(port), "--backend", backend, ...flags],
  };
}

/**
 * Two backends in turn, which give up idle connections in two ways. The middlebox says nothing and resets what comes
 * later, so that the request goes out and its answer does not come; the faulty server resets at once, so that the
 * request cannot even be written. The proxies are told not to watch: one that does notices the second, never the first.
 */
function staleChain(params: Values): ServerSpec[] {
  const origin = `${STALE_NETWORK} origin`;
  const upstream = ["--upstream", `${HOSTNAME}:${PORTS.origin}`];
  const ends = ["--behaviour", "closes-after", "--responses", "1", "--end", "reset"];
  const servers: ServerSpec[] = [
    { name: "origin", as: origin, flags: portFlags(PORTS.origin) },
    {
      ...{ name: "middlebox", as: `${STALE_NETWORK} middlebox` },
      flags: [
        ...portFlags(PORTS.middlebox),
        ...upstream,
        "--idle",
        `${STALE_IDLE_MS}ms`,
        "--forget",
        "reset",
      ],
    },
    { name: "faulty", as: `${STALE_NETWORK} faulty`, flags: [...portFlags(PORTS.faulty), ...ends] },
  ];
  return [
    ...servers.map((server) => ({ ...server, network: STALE_NETWORK })),
    ...staleVariants(params).map((variant) =>
      proxy(variant, {
        flags: ["--pool", "on", "--watch-idle", "off", "--retry-stale", STALE[variant]],
        network: STALE_NETWORK,
        backends: [PORTS.middlebox, PORTS.faulty],
        port: STALE[variant] === "on" ? PORTS.proxy : PORTS.otherProxy,
        descriptors: SPARE_DESCRIPTORS,
      })
    ),
  ];
}

function portFlags(port: number): string[] {
  return ["--port", `${port}`];
}
