/**
 * What tests share: waiting for a condition in place of sleeping, folders that go away, certificates, servers that
 * follow a script or are the lab's, and the processes that a test has started. Only tests may import it.
 *
 * @module
 */
export { EXPIRED_CA, LASTING_CA } from "./certificates.ts";
export { freePort } from "./free_port.ts";
export { networksGone } from "./networks.ts";
export { allGone, family } from "./processes.ts";
export { answering, type Peer, respond, type ScriptedServer, serveScript } from "./scripted_server.ts";
export {
  type Announcement,
  type ServerEnd,
  ServerProcess,
  type ServerProcessOptions,
} from "./server_process.ts";
export { StartedLab } from "./started_lab.ts";
export { TemporaryFolder } from "./temporary_folder.ts";
export { until } from "./until.ts";
