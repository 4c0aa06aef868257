/**
 * The operating system under the sockets: the socket table, the environment, limits, processes, and what
 * ties a child process to its parent. Each export names the rights that it needs.
 *
 * @module
 */
export { announce, type AnnounceOptions } from "./announce.ts";
export { monotonicMs, threadProcessorMs } from "./clock.ts";
export { endInTime } from "./end_in_time.ts";
export { type EnvironmentOptions, readEnvironment, type SourceState, timeWaitMs } from "./environment.ts";
export { Epoll, type Interests } from "./epoll.ts";
export { Holder, type HoldOutcome } from "./holder.ts";
export { HolderService } from "./holder_service.ts";
export { listKernelFolder } from "./kernel_folder.ts";
export { KeptNetwork } from "./kept_network.ts";
export { acceptQueues, type ListenCounters, listenCounters } from "./listen_queue.ts";
export { LIBC_CANDIDATES, libcPath } from "./libc_path.ts";
export { type EndReason, Lifeline, type LifelineOptions } from "./lifeline.ts";
export { type DescriptorLimits, descriptorLimits, limitDescriptors } from "./limits.ts";
export { explainRefusal, type NamespaceSupport, namespaceSupport, UNSHARE } from "./namespace_support.ts";
export { type NetworkSetting, type NetworkSettings, readNetworkSetting } from "./network_settings.ts";
export { isOwnAddress } from "./own_address.ts";
export { enterFreshNetwork, enterNetworkOf, OwnNetwork } from "./own_network.ts";
export { PinnedBytes } from "./pinned_bytes.ts";
export { type NetstatSystem, parseNetstat } from "./netstat.ts";
export { pause } from "./pause.ts";
export { LineSplitter } from "./lines.ts";
export {
  type PortBinding,
  type PortBudget,
  portBudget,
  type PortBudgetOptions,
  REUSE_DELAY_MS,
} from "./port_budget.ts";
export { countPorts, parsePortList, type PortRange } from "./port_list.ts";
export { reuseDelayMs } from "./reuse_delay.ts";
export {
  adoptOrphans,
  childrenOf,
  descendantsOf,
  type EndSignal,
  isAlive,
  sendSignal,
  sendSignalToGroup,
} from "./process.ts";
export { type ProcessUse, readProcessUse } from "./process_use.ts";
export {
  allowedProcessors,
  busyShare,
  pinToProcessor,
  type ProcessorTimes,
  readProcessorTimes,
} from "./processor_time.ts";
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
export {
  type AcceptOutcome,
  type OpenOutcome,
  type PortOutcome,
  RawSocket,
  type RawSocketOptions,
  type SocketFailure,
} from "./raw_socket.ts";
export type { ListenQueue } from "./sock_diag.ts";
export { SocketAddress } from "./socket_address.ts";
export { countSockets, type SocketCount } from "./socket_counts.ts";
export type { SocketOptionName, SocketOptions } from "./socket_options.ts";
export { countTimeWait, hasLiveConnection, type TimeWaitBySide } from "./socket_sides.ts";
export {
  readSockets,
  type SocketTableSource,
  type SocketTableSupport,
  socketTableSupport,
  timeWaitTotal,
} from "./sockets.ts";
export { parseTimeWaitTotal } from "./sockstat.ts";
export type { TcpInfo } from "./tcp_info.ts";
export { threadWaitMs } from "./thread_wait.ts";
export { UnsupportedError } from "./unsupported_error.ts";
