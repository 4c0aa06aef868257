import { pause } from "../../lib/system/mod.ts";
import { cannotListen, requireRight } from "../_shared/program.ts";
import type { Log } from "./log.ts";
import { bodyOf, headOf } from "./peer.ts";
import { readRequests } from "./requests.ts";

/** Options of {@linkcode listenLate}. */
export interface LateOptions {
  /** How long none is accepted after one was, in milliseconds. */
  readonly delayMs: number;
  /** The `backlog` of listen(2). Linux lets one more wait, and drops the SYN of the next. */
  readonly backlog: number;
}

/**
 * Listens, and takes connections from the accept queue one at a time. `Deno.listen` takes nothing from the
 * queue that it is not asked for, where `node:net` accepts whatever comes.
 *
 * @param hostname the address
 * @param port the port; 0 lets the system choose
 * @param log where it is noted
 * @param options how late it is
 * @returns the port
 * @throws {CannotRunHereError} it cannot listen there
 */
export async function listenLate(
  hostname: string,
  port: number,
  log: Log,
  options: LateOptions,
): Promise<number> {
  const { delayMs, backlog } = options;
  await requireRight("listen on", hostname);
  let listener: Deno.TcpListener;
  try {
    listener = Deno.listen({ hostname, port, tcpBacklog: backlog });
  } catch (error) {
    throw cannotListen(hostname, port, error);
  }
  (async () => {
    for (;;) {
      serve(await listener.accept(), log);
      await pause(delayMs);
    }
  })();
  return listener.addr.port;
}

async function serve(connection: Deno.TcpConn, log: Log): Promise<void> {
  const entry = log.accept(connection.remoteAddr.port);
  const encoder = new TextEncoder();
  const writer = connection.writable.getWriter();
  try {
    for await (const request of readRequests(connection.readable)) {
      const received = log.receive(entry, request);
      await writer.write(encoder.encode(headOf() + bodyOf(request)));
      log.answer(received);
    }
    log.end(entry, "client", "fin");
    await writer.close();
  } catch {
    // The client has left in the middle of it.
    log.end(entry, "client", "reset");
  }
}
