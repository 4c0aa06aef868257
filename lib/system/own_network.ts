import { KeptNetwork } from "./kept_network.ts";
import { cString, openLibc } from "./libc.ts";
import {
  type NetworkSetting,
  type NetworkSettings,
  readNetworkSetting,
  writeNetworkSetting,
} from "./network_settings.ts";
import { probeKernelFile, readKernelFile } from "./proc.ts";
import { UnsupportedError } from "./unsupported_error.ts";

// Sources: unshare(2), socket(2), netdevice(7), readlink(2).
const SYMBOLS = {
  unshare: { parameters: ["i32"], result: "i32" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  // Variadic in C; on Linux the call is the same for both kinds.
  ioctl: { parameters: ["i32", "usize", "buffer"], result: "i32" },
  readlink: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

let opened: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | null = null;

function calls() {
  if (Deno.build.os !== "linux") throw new UnsupportedError("enter a fresh network", "network namespaces");
  return opened ??= openLibc(SYMBOLS);
}

/** CLONE_NEWNET of unshare(2), `<linux/sched.h>`. */
const CLONE_NEWNET = 0x40000000;

/** CAP_SYS_ADMIN of capabilities(7), as a bit of CapEff. */
const CAP_SYS_ADMIN = 1n << 21n;

/** AF_INET, SOCK_DGRAM | SOCK_CLOEXEC of socket(2). */
const [AF_INET, DATAGRAM] = [2, 2 | 0o2000000];

/** SIOCGIFFLAGS, SIOCSIFFLAGS and IFF_UP of netdevice(7). */
const [GET_FLAGS, SET_FLAGS, IFF_UP] = [0x8913n, 0x8914n, 1];

/** `struct ifreq` of netdevice(7): a name of 16 bytes, then the flags; its union takes 24. */
const [IFREQ_BYTES, FLAGS_AT] = [40, 16];

/** Where the calling thread's network namespace is told. */
const OWN = "/proc/thread-self/ns/net";

const NAME_BYTES = 64;

/**
 * A network namespace that belongs to a run, with its own ports, sockets, TIME_WAIT and settings. It is of the
 * thread that entered it, and ends with its last socket and its last thread.
 */
export class OwnNetwork {
  /** Which one it is, such as `net:[4026532247]`. */
  readonly id: string;

  private constructor(id: string) {
    this.id = id;
  }

  /**
   * Takes the calling thread to a new network: see {@linkcode enterFreshNetwork}.
   *
   * @param settings what differs from the kernel's presets
   * @returns the network
   */
  static enter(settings: NetworkSettings): OwnNetwork {
    if (calls().unshare(CLONE_NEWNET) !== 0) throw new Error(`Cannot enter a fresh network as ${whyNot()}`);
    raiseLoopback();
    const network = new OwnNetwork(currentNetwork());
    for (const [name, value] of Object.entries(settings)) network.set(name, value);
    return network;
  }

  /**
   * Takes the calling thread to the network of a process: see {@linkcode enterNetworkOf}.
   *
   * @param pid the id of the process
   * @returns the network
   */
  static enterThatOf(pid: number): OwnNetwork {
    using kept = new KeptNetwork(pid);
    if (isFirstUserNamespace()) {
      throw new Error(`Cannot enter the network of process ${pid} as it may be the machine's own`);
    }
    kept.enter();
    return new OwnNetwork(currentNetwork());
  }

  /**
   * Takes over the network that this process was started in, under `unshare --map-root-user --net`, and raises
   * its loopback.
   *
   * @returns the network
   * @throws {Error} it is the machine's, or its settings cannot be written
   */
  static adopt(): OwnNetwork {
    if (isFirstUserNamespace()) {
      throw new Error("Cannot take over the network as it is the machine's own");
    }
    raiseLoopback();
    probeKernelFile("/proc/sys/net/ipv4/ip_local_port_range", "write");
    return new OwnNetwork(currentNetwork());
  }

  /**
   * Reads one of its settings.
   *
   * @param name such as `net.ipv4.tcp_tw_reuse`
   * @returns its value, with one space between the parts
   * @throws {Error} the calling thread is in another network by now, or there is no such setting
   */
  get(name: string): string {
    this.#requireHere(`read ${name}`);
    return readNetworkSetting(name);
  }

  /**
   * Writes one of its settings, and makes sure that the kernel took it.
   *
   * @param name such as `net.ipv4.tcp_tw_reuse`
   * @param value its new value
   * @throws {TypeError} that is no name of a network setting
   * @throws {Error} the calling thread is in another network by now, or the kernel did not take the value
   */
  set(name: string, value: NetworkSetting): void {
    this.#requireHere(`set ${name}`);
    writeNetworkSetting(name, value);
  }

  /** A setting must never reach another network, least of all the machine's. */
  #requireHere(action: string): void {
    if (currentNetwork() === this.id) return;
    throw new Error(`Cannot ${action} of network ${this.id} as this thread is in ${currentNetwork()}`);
  }
}

/**
 * Takes the calling thread to a network of its own that nothing has used: every port free, no TIME_WAIT, the
 * kernel's presets, loopback raised with all of 127.0.0.0/8 and, where the system has IPv6, ::1. It takes about
 * a millisecond.
 *
 * Deno runs JavaScript in one thread, and makes sockets and children there, by FFI or its own functions
 * (`Deno.listen`, `Deno.connect`, `fetch`): all that are made from now on are in the new network. Those that
 * there were stay where they are. Other threads do too: workers, and calls by FFI that do not block.
 *
 * Needs `--allow-ffi` of the C library, and a process that was started in a user namespace of its own, as every
 * process is of a run whose experiment needs namespace `own`. Linux only. Source: unshare(2),
 * network_namespaces(7).
 *
 * @param settings what is to differ from the kernel's presets, written in this order and read back. @default {{}}
 * @returns the network
 * @throws {UnsupportedError} the system has no network namespaces
 * @throws {TypeError} there can be no setting of such a name
 * @throws {Error} the system refused, or did not take a setting
 *
 * @example
 * ```ts ignore
 * const network = enterFreshNetwork({
 *   "net.ipv4.ip_local_port_range": [32_768, 48_767],
 *   "net.ipv4.tcp_tw_reuse": 0,
 * });
 * network.get("net.ipv4.ip_local_port_range"); // "32768 48767"
 * ```
 */
export function enterFreshNetwork(settings: NetworkSettings = {}): OwnNetwork {
  return OwnNetwork.enter(settings);
}

/**
 * Takes the calling thread to the network that a process of the same run is in, such as a server with a network of its
 * own: sockets and workers that are made from now on are there, and so are the socket table and the settings that the
 * thread reads. Those that there were stay where they are. A {@linkcode KeptNetwork} leads back.
 *
 * Needs `--allow-ffi` of the C library, and a process that was started in a user namespace of its own, as every
 * process is of a run whose experiment needs namespace `own`. Linux only. Source: setns(2),
 * network_namespaces(7).
 *
 * @param pid the id of the process
 * @returns the network
 * @throws {UnsupportedError} the system has no network namespaces
 * @throws {Deno.errors.NotFound} there is no such process
 * @throws {Error} the network is not the run's, or there is no descriptor for it
 *
 * @example
 * ```ts ignore
 * using home = new KeptNetwork();
 * const network = enterNetworkOf(context.servers.origin!.pid);
 * try {
 *   network.set("net.ipv4.ip_local_port_range", [20_000, 20_999]);
 *   await measureThere();
 * } finally {
 *   home.enter();
 * }
 * ```
 */
export function enterNetworkOf(pid: number): OwnNetwork {
  return OwnNetwork.enterThatOf(pid);
}

/** Which network namespace the calling thread is in. */
function currentNetwork(): string {
  const name = new Uint8Array(NAME_BYTES);
  const length = Number(calls().readlink(cString(OWN), name, BigInt(name.length)));
  if (length < 0) throw new Error(`Cannot tell the network of this thread as ${OWN} cannot be read`);
  return new TextDecoder().decode(name.subarray(0, length));
}

/** Raises the loopback interface: in a new network it is down, and nothing can be reached. */
function raiseLoopback(): void {
  const { socket, ioctl, close } = calls();
  const descriptor = socket(AF_INET, DATAGRAM, 0);
  if (descriptor < 0) throw new Error("Cannot raise the loopback interface as no socket can be opened");
  try {
    const request = new Uint8Array(IFREQ_BYTES);
    request.set(new TextEncoder().encode("lo"));
    const known = ioctl(descriptor, GET_FLAGS, request) === 0;
    request[FLAGS_AT]! |= IFF_UP;
    if (known && ioctl(descriptor, SET_FLAGS, request) === 0) return;
  } finally {
    close(descriptor);
  }
  throw new Error("Cannot raise the loopback interface as the system refused");
}

/** Why there is no further network, from what this thread may do. */
function whyNot(): string {
  const [, capabilities = "0"] = /^CapEff:\s*([\da-f]+)$/m.exec(readKernelFile("/proc/thread-self/status")) ??
    [];
  return (BigInt(`0x${capabilities}`) & CAP_SYS_ADMIN) === 0n
    ? "this process may not administer its network: start it under unshare --map-root-user --net"
    : "the system refused: user.max_net_namespaces limits how many there may be";
}

/** Whether users are the machine's own: only there is every one mapped to itself. */
function isFirstUserNamespace(): boolean {
  return /^\s*0\s+0\s+4294967295\s*$/.test(readKernelFile("/proc/self/uid_map"));
}
