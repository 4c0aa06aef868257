/**
 * Keeps sockets open for a process that may not have as many: they come over an abstract Unix socket, and
 * are closed when their sender says so, when it ends, or when this process ends. It needs `--allow-ffi` of the
 * C library, and no right to the network.
 *
 * @module
 */
import { HolderService } from "../lib/system/mod.ts";
import type { ServerUsage } from "./_shared/flags.ts";
import { runServer } from "./_shared/program.ts";

const params = {};

/** The holder on the command line. */
const HOLDER: ServerUsage<typeof params> = {
  name: "holder",
  about: "Keeps sockets open for another process, which may have no more descriptors of its own.",
  params,
  details:
    `It listens on no port, but under a name made from its process id, in the network namespace in which
it was started. Linux only.`,
};

await runServer(HOLDER, () => {
  const service = new HolderService();
  service.serve();
  return Promise.resolve({ hostname: service.name, port: 0, ports: [] });
});
