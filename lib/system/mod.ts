/**
 * The operating system under the sockets: the socket table, the environment, limits, processes, and what
 * ties a child process to its parent. Each export names the rights that it needs.
 *
 * @module
 */
export { announce, type AnnounceOptions } from "./announce.ts";
export { endInTime } from "./end_in_time.ts";
export { type EnvironmentOptions, readEnvironment, type SourceState, timeWaitMs } from "./environment.ts";
export { LIBC_CANDIDATES, libcPath } from "./libc_path.ts";
export { type EndReason, Lifeline, type LifelineOptions } from "./lifeline.ts";
export { type DescriptorLimits, descriptorLimits } from "./limits.ts";
export { pause } from "./pause.ts";
export { LineSplitter } from "./lines.ts";
export { childrenOf, type EndSignal, isAlive, sendSignal } from "./process.ts";
export { readKernelFile } from "./proc.ts";
export {
  type AddressFamily,
  parseProcTcp,
  SOCKET_STATES,
  type SocketEnd,
  type SocketEntry,
  type SocketFilter,
  type SocketState,
} from "./proc_tcp.ts";
export { countTimeWait, hasLiveConnection, type TimeWaitBySide } from "./socket_sides.ts";
export { readSockets, type SocketTableSupport, socketTableSupport, timeWaitTotal } from "./sockets.ts";
export { parseTimeWaitTotal } from "./sockstat.ts";
