import { choice, duration, integer, type ParamsOf } from "../../lib/record/mod.ts";
import { optional } from "../_shared/flags.ts";

/** The flags that tell a behaviour how to go about it: each behaviour names those that it heeds. */
export const SETTINGS = {
  responses: optional(integer({
    min: 0,
    max: 1_000_000,
    default: 0,
    help: "how many requests of a connection are answered before it ends",
  })),
  end: choice(["fin", "reset"], { default: "fin", help: "how a connection is ended" }),
  delay: duration({ default: "1s", help: "how late it is" }),
  backlog: integer({
    min: 0,
    max: 4096,
    default: 0,
    help: "how many connections may wait to be accepted; Linux lets one more in",
  }),
  advertise: duration({
    default: "30s",
    min: "1s",
    max: "24h",
    help: "the Keep-Alive timeout that it states, in whole seconds",
  }),
  keep: duration({ default: "5s", help: "how long it keeps an idle connection" }),
};

/** What a behaviour is told. */
export type Settings = ParamsOf<typeof SETTINGS>;
