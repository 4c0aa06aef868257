import { choice, flag, integer, type ParamsOf, text } from "../../record/mod.ts";

/** The parameters: what the arm `base` is, and whether others are compared with it. */
export const params = {
  ports: integer({
    min: 16,
    max: 16_000,
    default: 1000,
    quick: 200,
    help: "size of the private port range, an even number; all of it is used",
  }),
  reserved: text({
    default: "",
    help: "ports of the range, from 32768 on, that the system must not give away, such as 32768-32799",
  }),
  timeWaitReuse: choice(["0", "1", "2"], {
    default: "0",
    help: "net.ipv4.tcp_tw_reuse: 0 off, 1 everywhere, 2 on loopback",
  }),
  destinations: integer({ min: 1, max: 8, default: 1, help: "addresses that are connected to, in turn" }),
  sources: integer({
    min: 1,
    max: 8,
    default: 1,
    help: "addresses that are connected from, in turn; several need --bind first or no-port",
  }),
  bind: choice(["none", "first", "no-port"], {
    default: "none",
    help: "bind() before connect(): none, with a port at once, or with IP_BIND_ADDRESS_NO_PORT",
  }),
  closes: choice(["client", "server"], { default: "client", help: "the side that closes first" }),
  linger0: flag({ default: false, help: "the side that closes first resets the connection (SO_LINGER 0)" }),
  compare: flag({
    default: true,
    quick: true,
    help: "measure arms too that differ from what was asked for in one setting each",
  }),
  watchTimeWait: flag({
    default: true,
    quick: false,
    help:
      "follow sockets to the end of TIME_WAIT, and measure rates that depend on it: a minute and a quarter",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
