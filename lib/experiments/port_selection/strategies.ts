/** The ways in which a socket comes to its local port. */
export const STRATEGIES = [
  "plain",
  "bind-first",
  "bind-no-port",
  "select-test-repeat",
  "window",
  "full-range",
  "udp",
  "udp-reuse",
] as const;

/** One of {@linkcode STRATEGIES}. */
export type Strategy = (typeof STRATEGIES)[number];

/** What each strategy does before and in connect(). Source: ip(7), socket(7). */
export const STRATEGY_STEPS: Readonly<Record<Strategy, string>> = {
  "plain": "connect(): the system chooses the port when it knows the destination",
  "bind-first": "bind() to port 0, then connect(): the system chooses when it knows no destination yet",
  "bind-no-port": "bind() to the address alone (IP_BIND_ADDRESS_NO_PORT), then connect()",
  "select-test-repeat": "bind() to a random port of one's own choice until one is free, then connect()",
  "window": "connect() from a random part of the range (IP_LOCAL_PORT_RANGE); one that is full fails",
  "full-range": "connect() with IP_LOCAL_PORT_RANGE over the whole range",
  "udp": "connect() of a UDP socket",
  "udp-reuse": "the same with SO_REUSEADDR, which lets two sockets have one port",
};

/**
 * Whether a strategy leaves the choice to the walk of connect() over a range of ports.
 *
 * @param strategy the strategy
 * @returns `false` for UDP, for bind() with a port, and for a choice of one's own
 */
export function isChosenByConnect(strategy: Strategy): boolean {
  return strategy === "plain" || strategy === "bind-no-port" || strategy === "window" ||
    strategy === "full-range";
}

/**
 * The protocol of a strategy's sockets.
 *
 * @param strategy the strategy
 * @returns the protocol
 */
export function protocolOf(strategy: Strategy): "tcp" | "udp" {
  return strategy.startsWith("udp") ? "udp" : "tcp";
}
