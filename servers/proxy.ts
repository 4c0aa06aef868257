/**
 * An HTTP/1.1 reverse proxy over raw connections, with a pool of connections to its backends or without one. It needs
 * `--allow-net` of the address that it listens on and of the backends', and the C library for `--fds`.
 *
 * @module
 */
import { pause } from "../lib/system/mod.ts";
import { lowerDescriptors } from "./_shared/descriptors.ts";
import { misuse } from "./_shared/flags.ts";
import { cannotListen, requireRight, runServer } from "./_shared/program.ts";
import { Backends } from "./proxy/backends.ts";
import { Conversation, type ConversationTools } from "./proxy/conversation.ts";
import { Deadlines } from "./proxy/deadlines.ts";
import { PROXY } from "./proxy/flags.ts";
import { Tally } from "./proxy/tally.ts";

/** How long it waits before it accepts again when no descriptor was left, in milliseconds. */
const ACCEPT_PAUSE_MS = 20;

function listen(hostname: string, port: number): Deno.TcpListener {
  try {
    return Deno.listen({ hostname, port });
  } catch (error) {
    throw cannotListen(hostname, port, error);
  }
}

async function converse(listener: Deno.TcpListener, tools: ConversationTools): Promise<never> {
  for (;;) {
    try {
      new Conversation(await listener.accept(), tools).run();
    } catch {
      // No descriptor is left, or the client has gone already: those that are served go on.
      await pause(ACCEPT_PAUSE_MS);
    }
  }
}

await runServer(PROXY, async ({ values }) => {
  const { backend, hostname, port } = values;
  if (backend.length === 0) throw misuse(PROXY, "--backend is missing: write --backend HOST:PORT");
  await requireRight("listen on", hostname);
  for (const { hostname } of backend) await requireRight("connect to", hostname);
  const tally = new Tally();
  const deadlines = new Deadlines();
  const backends = new Backends(values, deadlines);
  const listener = listen(hostname, port);
  lowerDescriptors(values.fds);
  converse(listener, {
    backends,
    tally,
    deadlines,
    retryStale: values.retryStale === "on",
    connectTimeoutMs: values.connectTimeout,
    responseTimeoutMs: values.responseTimeout,
    clientTimeoutMs: values.clientTimeout,
    stats: () => ({ pool: values.pool, ...tally.json, ...backends.stats }),
  });
  return { hostname, port: listener.addr.port, ports: [] };
});
