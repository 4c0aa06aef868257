/**
 * The server that experiments measure against: one site behind `Deno.serve` or `node:http`, plain or over
 * TLS. It needs `--allow-net` of the address that it listens on, and nothing else.
 *
 * @module
 */
import { cannotListen, requireRight, runServer } from "./_shared/program.ts";
import { listenDeno } from "./origin/deno_stack.ts";
import { ORIGIN, type OriginFlags, resolveFlags } from "./origin/flags.ts";
import { type Identity, readIdentity } from "./origin/identity.ts";
import { listenNode } from "./origin/node_stack.ts";
import { Site } from "./origin/site.ts";

const LISTEN = { deno: listenDeno, node: listenNode };

async function listen(flags: OriginFlags, identity: Identity | null): Promise<[number, ...number[]]> {
  const { stack, hostname, port, ports, idleTimeoutMs } = flags;
  await requireRight("listen on", hostname);
  const site = new Site(stack, flags.tls);
  const listenOn = async (port: number) => {
    try {
      return await LISTEN[stack](site, { hostname, port, identity, idleTimeoutMs });
    } catch (error) {
      throw cannotListen(hostname, port, error);
    }
  };
  const listening: [number, ...number[]] = [await listenOn(port)];
  while (listening.length <= ports) listening.push(await listenOn(0));
  return listening;
}

await runServer(ORIGIN, async (read, lifeline) => {
  const flags = resolveFlags(read);
  const [port, ...ports] = await listen(flags, flags.tls ? await readIdentity(lifeline) : null);
  return { hostname: flags.hostname, port, ports };
});
