/**
 * A server that does one thing wrong, and tells what it has seen. It needs `--allow-net` of the address that
 * it listens on, and nothing else.
 *
 * @module
 */
import type { Socket } from "node:net";
import { openControl } from "./_shared/control.ts";
import { runServer } from "./_shared/program.ts";
import { listenTcp } from "./_shared/tcp_listener.ts";
import { type Behaviour, BEHAVIOURS } from "./faulty/behaviours.ts";
import { FAULTY, requireBehaviour } from "./faulty/flags.ts";
import { listenLate } from "./faulty/late_listener.ts";
import { Log } from "./faulty/log.ts";
import { Peer } from "./faulty/peer.ts";
import type { Settings } from "./faulty/settings.ts";

/** Serves one connection. What its end makes of a read or write is in the log by then. */
async function serve(socket: Socket, log: Log, behaviour: Behaviour, settings: Settings): Promise<void> {
  const peer = new Peer(socket, log);
  try {
    await behaviour.serve(peer, settings);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
  } finally {
    peer.end("fin");
  }
}

await runServer(FAULTY, async (flags) => {
  const behaviour = requireBehaviour(flags);
  const { hostname, port, delay: delayMs, backlog } = flags.values;
  const beganMs = performance.now();
  const log = new Log(() => performance.now() - beganMs);
  const listening = behaviour === "accepts-late"
    ? await listenLate(hostname, port, log, { delayMs, backlog })
    : await listenTcp(
      hostname,
      port,
      (socket) => void serve(socket, log, BEHAVIOURS[behaviour], flags.values),
    );
  const control = openControl(hostname, {
    "/log": () => log.listed,
    "/stats": () => ({ behaviour, ...log.stats }),
  });
  return { hostname, port: listening, ports: [control.addr.port], seen: "/log" };
});
