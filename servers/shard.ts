/**
 * A part of a load generator that is split over processes, as one of them can hold only so many connections: it
 * listens for whoever tells it what to do, and does it until that connection ends.
 *
 * It needs `--allow-net` of the address that it listens on and of where its connections go, the right to read the lab's
 * own files, for its threads, and `--allow-ffi` of the C library.
 *
 * @module
 */
import { serveShard } from "../lib/load/mod.ts";
import { pause } from "../lib/system/mod.ts";
import { describe } from "../lib/transport/mod.ts";
import { descriptorsFlag, lowerDescriptors } from "./_shared/descriptors.ts";
import { HOSTNAME, PORT, type ServerUsage } from "./_shared/flags.ts";
import { cannotListen, requireRight, runServer } from "./_shared/program.ts";

/** What a process that serves needs before it has opened a connection. */
const LEAST_DESCRIPTORS = 64;

/** How long it waits after a control connection that it could not accept, in milliseconds. */
const ACCEPT_AGAIN_MS = 1000;

const params = {
  hostname: HOSTNAME,
  port: PORT,
  fds: descriptorsFlag("file descriptors that it may have, as its hard limit", LEAST_DESCRIPTORS),
};

/** The shard on the command line. */
const SHARD: ServerUsage<typeof params> = {
  name: "shard",
  about:
    "Makes a part of a load, or holds a part of many connections, for a run that is split over processes.",
  params,
  details:
    `It is told what to do over a connection to its port, a line of JSON at a time. What was begun over a
connection ends with it. It connects only where --allow-net lets it.`,
};

await runServer(SHARD, async ({ values: { hostname, port, fds } }) => {
  lowerDescriptors(fds);
  await requireRight("listen on", hostname);
  const listener = listen(hostname, port);
  accept(listener);
  return { hostname, port: listener.addr.port, ports: [] };
});

function listen(hostname: string, port: number): Deno.TcpListener {
  try {
    return Deno.listen({ hostname, port });
  } catch (cause) {
    throw cannotListen(hostname, port, cause);
  }
}

/** Serves control connections. One that finds no descriptor free must not end what others hold. */
async function accept(listener: Deno.TcpListener): Promise<never> {
  for (;;) {
    try {
      serve(await listener.accept());
    } catch (error) {
      console.error(`Cannot accept control connection: ${describe(error)}`);
      await pause(ACCEPT_AGAIN_MS);
    }
  }
}

async function serve(socket: Deno.TcpConn): Promise<void> {
  try {
    await serveShard(socket);
  } catch (error) {
    console.error(`Cannot serve control connection: ${describe(error)}`);
  }
}
