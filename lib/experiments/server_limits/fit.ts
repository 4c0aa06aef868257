import { MisuseError } from "../../record/mod.ts";
import type { Values } from "./params.ts";

/** The limits that only a server of the lab can be given. */
const BRAKES = {
  idleTimeout: "--idle-timeout",
  requestTimeout: "--request-timeout",
  maxConnections: "--max-connections",
} as const;

/** What a process of the client needs before it has opened a connection. */
const LEAST_CLIENT_FDS = 64;

/** What a server of the lab needs before it can take a connection: its runtime has half of it open, or more. */
const LEAST_SERVER_FDS = 40;

/** What each further worker of it needs. */
const WORKER_FDS = 16;

/** What the process needs that keeps a command, and has its limit with it. */
const LEAST_COMMAND_FDS = 64;

/**
 * Refuses parameters that contradict each other.
 *
 * @param params the parameters
 * @throws {MisuseError} there are two subjects, or a limit is for a server that takes none
 */
export function requireFit(params: Values): void {
  const { clientFds, mode, serverCommand, serverFds, serverPort, serverWorkers, stack, target } = params;
  const cannot = (action: string, reason: string) => new MisuseError(`Cannot ${action} as ${reason}`);
  if (serverCommand !== null && target !== null) {
    throw cannot("choose a server", "both --server-command and --target name one");
  }
  if ((serverCommand === null) !== (serverPort === 0)) {
    throw cannot("start server", "--server-command and --server-port need each other");
  }
  if (mode !== "client-wall" && clientFds > 0 && clientFds < LEAST_CLIENT_FDS) {
    throw cannot(
      "start client",
      `--client-fds must be 0 or >= ${LEAST_CLIENT_FDS}: current value is ${clientFds}`,
    );
  }
  const leastFds = serverCommand === null
    ? LEAST_SERVER_FDS + (serverWorkers - 1) * WORKER_FDS
    : LEAST_COMMAND_FDS;
  if (serverFds > 0 && serverFds < leastFds) {
    throw cannot("start server", `--server-fds must be 0 or >= ${leastFds}: current value is ${serverFds}`);
  }
  const isForeign = serverCommand !== null || target !== null;
  if (isForeign && serverWorkers > 1) {
    throw cannot("use --server-workers", "only the lab's own server takes it");
  }
  for (const [name, flag] of Object.entries(BRAKES)) {
    if (params[name as keyof typeof BRAKES] === 0) continue;
    if (isForeign) throw cannot(`use ${flag}`, "only the lab's own server takes it");
    if (stack === "deno") throw cannot(`use ${flag}`, "Deno.serve has no such limit: --stack node");
  }
}
