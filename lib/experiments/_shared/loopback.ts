import type { Warning } from "../../record/mod.ts";

/** What every result between two programs of one machine has to say of itself. */
export const LOOPBACK: Warning = {
  code: "loopback",
  message: "Client and server share this machine, and over loopback a round trip takes microseconds: " +
    "a network's handshakes cost more",
  remedy: "Measure a server of your own at a distance (--target) to see what round trips add",
};
