/**
 * The server that experiments measure against: one site behind `Deno.serve` or `node:http`, plain or over
 * TLS. It needs `--allow-net` of the address that it listens on; with several workers also `--allow-read` of the
 * lab's own files, and to limit its own descriptors `--allow-ffi` of the C library.
 *
 * @module
 */
import { lowerDescriptors } from "./_shared/descriptors.ts";
import { requireRight, runServer } from "./_shared/program.ts";
import { ORIGIN, type OriginFlags, resolveFlags } from "./origin/flags.ts";
import { type Identity, readIdentity } from "./origin/identity.ts";
import { factsOf, portsWanted, serve, type Serving } from "./origin/serve.ts";
import { statsOf } from "./origin/stats.ts";
import { reportStatus } from "./origin/status_line.ts";
import { serveByThreads } from "./origin/threads.ts";

async function serveHere(flags: OriginFlags, identity: Identity | null): Promise<Serving> {
  const { site, ports } = await serve(flags, { identity, ports: portsWanted(flags) });
  return { ports, gather: () => Promise.resolve([site.report()]) };
}

await runServer(ORIGIN, async (read, lifeline) => {
  const flags = resolveFlags(read);
  const { hostname, workers, descriptors } = flags;
  await requireRight("listen on", hostname);
  const identity = flags.tls ? await readIdentity(lifeline) : null;
  const { ports: [port, ...ports], gather } = await (workers === 1 ? serveHere : serveByThreads)(
    flags,
    identity,
  );
  lowerDescriptors(descriptors);
  const facts = factsOf(flags);
  const stats = async () => statsOf(await gather(), { facts, port: null, rssBytes: Deno.memoryUsage().rss })!;
  reportStatus(stats, { say: console.error });
  return { hostname, port, ports };
});
