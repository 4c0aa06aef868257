import { choice, duration, type ParamsOf } from "../../lib/record/mod.ts";
import { endpoint } from "../_shared/endpoint.ts";
import { HOSTNAME, PORT, type ServerUsage } from "../_shared/flags.ts";
import { FORGETTINGS } from "./flow.ts";

const params = {
  upstream: endpoint("the server that flows go to"),
  idle: duration({
    default: "2s",
    min: "1ms",
    max: "1h",
    help: "how long a flow may be idle; counted from the last byte in either direction",
  }),
  forget: choice(FORGETTINGS, { default: "reset", help: "what happens to a flow that is idle for longer" }),
  hostname: HOSTNAME,
  port: PORT,
};

/** The middlebox on the command line. */
export const MIDDLEBOX: ServerUsage<typeof params> = {
  name: "middlebox",
  about: "Carries connections to a server and forgets those that are idle, as firewalls and balancers do.",
  params,
  details: `What --forget may be:

  reset    it says nothing at the limit; what either end sends later is answered with a reset
  silent   it says nothing, then or later; what either end sends is swallowed
  fin      it ends both sides in order at the limit

Paths at a second port, for what it has seen:

  /flows   every flow: its ports, times in milliseconds, bytes, who ended it first and how
  /stats   counts`,
};

/** What the middlebox is told. */
export type MiddleboxFlags = ParamsOf<typeof params>;
