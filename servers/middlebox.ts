/**
 * A relay of TCP connections that forgets idle flows: what stands between a client and a server and closes
 * connections that both of them keep. It needs `--allow-net` of the address that it listens on and of the
 * server's, and nothing else.
 *
 * @module
 */
import { openControl } from "./_shared/control.ts";
import { misuse } from "./_shared/flags.ts";
import { requireRight, runServer } from "./_shared/program.ts";
import { listenTcp } from "./_shared/tcp_listener.ts";
import { MIDDLEBOX } from "./middlebox/flags.ts";
import { Relay } from "./middlebox/relay.ts";

await runServer(MIDDLEBOX, async ({ values }) => {
  const { upstream, idle: idleMs, forget, hostname, port } = values;
  if (upstream === null) throw misuse(MIDDLEBOX, "--upstream is missing: write --upstream HOST:PORT");
  await requireRight("connect to", upstream.hostname);
  const relay = new Relay(upstream, { idleMs, forget });
  const listening = await listenTcp(hostname, port, (client) => relay.take(client));
  const control = openControl(hostname, {
    "/flows": () => relay.flows,
    "/stats": () => ({ upstream, idleMs, forget, ...relay.stats }),
  });
  return { hostname, port: listening, ports: [control.addr.port], seen: "/flows" };
});
