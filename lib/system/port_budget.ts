import { countPorts, parsePortList, type PortRange } from "./port_list.ts";

/** How a client comes by its port: at connect(), at bind() before it, or at connect() after a bind() without. */
export type PortBinding = "none" | "first" | "no-port";

/** What {@linkcode portBudget} reckons with. */
export interface PortBudgetOptions {
  /** First and last ephemeral port: `net.ipv4.ip_local_port_range`. */
  readonly range: PortRange;
  /** Ports that the system does not give away: `net.ipv4.ip_local_reserved_ports`. @default {none} */
  readonly reserved?: string;
  /**
   * How long the client's socket stays in TIME_WAIT, in milliseconds; 0 when it does not, since the other side
   * closes first or the client resets.
   */
  readonly timeWaitMs: number;
  /** `net.ipv4.tcp_tw_reuse`: 0 off, 1 everywhere, 2 on loopback. @default {0} */
  readonly reuse?: number;
  /** From when on a port in TIME_WAIT may be used again where that is allowed, in milliseconds. @default {1000} */
  readonly reuseDelayMs?: number;
  /** Whether the connections are over loopback. @default {false} */
  readonly loopback?: boolean;
  /** Addresses with their ports that are connected to. @default {1} */
  readonly destinations?: number;
  /** Addresses that are connected from. @default {1} */
  readonly sources?: number;
  /** How a client comes by its port. @default {"none"} */
  readonly bind?: PortBinding;
  /** How long a connection is open, in milliseconds. @default {0} */
  readonly lifetimeMs?: number;
}

/** How many connections ports are enough for, and at what rate. */
export interface PortBudget {
  /** Ports of one source address. */
  readonly ports: number;
  /** Connections at once to one destination. */
  readonly connectionsToOneAddress: number;
  /** Connections at once to all destinations. */
  readonly connections: number;
  /** How long a port is not free after its connection was closed, in milliseconds. */
  readonly heldMs: number;
  /** New connections per second, to all destinations, that can go on for ever; `null` when ports do not bound it. */
  readonly sustainedRatePerSecond: number | null;
}

/**
 * From when on a port in TIME_WAIT may be used again where that is allowed, in milliseconds, unless it is set.
 *
 * Source: Linux, `net/ipv4/tcp_ipv4.c` (tcp_twsk_unique): its timestamp must have moved on, by
 * `net.ipv4.tcp_tw_reuse_delay` (since 6.14), which is 1 s unless changed, as it was before.
 */
export const REUSE_DELAY_MS = 1000;

/**
 * What the ports of a client allow. A connection is known by both addresses and both ports, so each source
 * address has every port once per destination, unless bind() takes the port before the destination is known.
 * A closed connection keeps its ports while it is in TIME_WAIT.
 *
 * Source: RFC 9293, 3.3.1 and 3.6.1; Linux, `net/ipv4/inet_hashtables.c` (__inet_hash_connect), ip(7)
 * (IP_BIND_ADDRESS_NO_PORT).
 *
 * @param options ports, times, addresses
 * @returns the budget. It leaves out what else may be the limit: descriptors, memory, and
 * `net.ipv4.tcp_max_tw_buckets`, beyond which sockets in TIME_WAIT are dropped and ports are free at once
 * @throws {RangeError} an address count is below 1, or a time below 0
 *
 * @example
 * ```ts
 * import { portBudget } from "./port_budget.ts";
 * import { assertEquals } from "@std/assert";
 * const { connectionsToOneAddress, sustainedRatePerSecond } = portBudget({
 *   range: [32768, 60999],
 *   timeWaitMs: 60_000,
 * });
 * assertEquals(connectionsToOneAddress, 28_232);
 * assertEquals(Math.floor(sustainedRatePerSecond!), 470);
 * ```
 */
export function portBudget(options: PortBudgetOptions): PortBudget {
  const { range, reserved = "", timeWaitMs, reuse = 0, loopback = false } = options;
  const { destinations = 1, sources = 1, bind = "none", lifetimeMs = 0 } = options;
  const { reuseDelayMs = REUSE_DELAY_MS } = options;
  for (const [name, count] of Object.entries({ destinations, sources })) {
    if (Number.isInteger(count) && count >= 1) continue;
    throw new RangeError(`Cannot reckon with ports as ${name} must be >= 1: current value is ${count}`);
  }
  for (const [name, timeMs] of Object.entries({ timeWaitMs, lifetimeMs, reuseDelayMs })) {
    if (timeMs >= 0 && timeMs < Infinity) continue;
    throw new RangeError(`Cannot reckon with ports as ${name} must be >= 0: current value is ${timeMs}`);
  }
  const ports = countPorts(range, parsePortList(reserved));
  const connectionsToOneAddress = ports * sources;
  const connections = connectionsToOneAddress * (bind === "first" ? 1 : destinations);
  // A port that bind() took is asked for before the destination is known: TIME_WAIT is not looked into.
  const reuses = bind !== "first" && (reuse === 1 || (reuse === 2 && loopback));
  const heldMs = reuses ? Math.min(timeWaitMs, reuseDelayMs) : timeWaitMs;
  const busyMs = lifetimeMs + heldMs;
  return {
    ports,
    connectionsToOneAddress,
    connections,
    heldMs,
    sustainedRatePerSecond: busyMs === 0 ? null : connections / (busyMs / 1000),
  };
}
