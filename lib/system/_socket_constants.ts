import { UnsupportedError } from "./unsupported_error.ts";

/** The numbers by which a system knows families, options and errors; `null` for what it has not got. */
export interface SocketConstants {
  /** Address families. Source: Linux, `include/linux/socket.h`; macOS, `sys/socket.h`. */
  readonly families: { readonly unix: number; readonly ipv4: number; readonly ipv6: number };
  /** Whether a socket address begins with its length (`sa_len` of 4.4BSD). */
  readonly hasLength: boolean;
  /** SOCK_NONBLOCK and SOCK_CLOEXEC, taken with the type. Source: socket(2). */
  readonly nonBlocking: number | null;
  /** See `nonBlocking`. */
  readonly closeOnExec: number | null;
  /** Option levels; IPPROTO_IP is 0, IPPROTO_TCP 6, IPPROTO_IPV6 41 everywhere. */
  readonly socketLevel: number;
  /** Options of sockets. Source: socket(7); Linux, `include/uapi/asm-generic/socket.h`; macOS, `sys/socket.h`. */
  readonly reuseAddress: number;
  /** SO_REUSEPORT. */
  readonly reusePort: number;
  /** SO_LINGER with a time in seconds: on macOS SO_LINGER_SEC, as its SO_LINGER counts ticks. */
  readonly linger: number;
  /** SO_ERROR. */
  readonly error: number;
  /** SO_SNDTIMEO. */
  readonly sendTimeout: number;
  /** SO_RCVTIMEO. */
  readonly receiveTimeout: number;
  /** IPV6_V6ONLY. Source: ipv6(7); Linux, `include/uapi/linux/in6.h`; macOS, `netinet6/in6.h`. */
  readonly v6Only: number;
  /** IP_BIND_ADDRESS_NO_PORT, Linux 4.2. Source: ip(7); Linux, `include/uapi/linux/in.h`. */
  readonly bindAddressNoPort: number | null;
  /** IP_LOCAL_PORT_RANGE, Linux 6.3. Source: ip(7); Linux, `include/uapi/linux/in.h`. */
  readonly localPortRange: number | null;
  /** TCP_INFO. Source: tcp(7); Linux, `include/uapi/linux/tcp.h`. */
  readonly tcpInfo: number | null;
  /** TCP_CONGESTION. Source: tcp(7). */
  readonly congestionControl: number | null;
  /** MSG_NOSIGNAL: a broken connection is told by the result. Source: send(2). */
  readonly noSignal: number;
  /** Error numbers. Source: errno(3); Linux, `include/uapi/asm-generic/errno.h`; macOS, `sys/errno.h`. */
  readonly errors: {
    readonly brokenPipe: number;
    readonly addressInUse: number;
    readonly addressNotAvailable: number;
    readonly networkUnreachable: number;
    readonly hostUnreachable: number;
    readonly connectionReset: number;
    readonly timedOut: number;
    readonly connectionRefused: number;
  };
}

const LINUX: SocketConstants = {
  families: { unix: 1, ipv4: 2, ipv6: 10 },
  hasLength: false,
  nonBlocking: 0o4000,
  closeOnExec: 0o2000000,
  socketLevel: 1,
  reuseAddress: 2,
  reusePort: 15,
  linger: 13,
  error: 4,
  sendTimeout: 21,
  receiveTimeout: 20,
  v6Only: 26,
  bindAddressNoPort: 24,
  localPortRange: 51,
  tcpInfo: 11,
  congestionControl: 13,
  noSignal: 0x4000,
  errors: {
    brokenPipe: 32,
    addressInUse: 98,
    addressNotAvailable: 99,
    networkUnreachable: 101,
    hostUnreachable: 113,
    connectionReset: 104,
    timedOut: 110,
    connectionRefused: 111,
  },
};

const MACOS: SocketConstants = {
  families: { unix: 1, ipv4: 2, ipv6: 30 },
  hasLength: true,
  nonBlocking: null,
  closeOnExec: null,
  socketLevel: 0xffff,
  reuseAddress: 0x4,
  reusePort: 0x200,
  linger: 0x1080,
  error: 0x1007,
  sendTimeout: 0x1005,
  receiveTimeout: 0x1006,
  v6Only: 27,
  bindAddressNoPort: null,
  localPortRange: null,
  tcpInfo: null,
  congestionControl: null,
  noSignal: 0x80000,
  errors: {
    brokenPipe: 32,
    addressInUse: 48,
    addressNotAvailable: 49,
    networkUnreachable: 51,
    hostUnreachable: 65,
    connectionReset: 54,
    timedOut: 60,
    connectionRefused: 61,
  },
};

const BY_SYSTEM: Readonly<Record<string, SocketConstants>> = { linux: LINUX, darwin: MACOS };

/**
 * The numbers of a system.
 *
 * @param os the system, as `Deno.build.os` names it
 * @returns its numbers
 * @throws {UnsupportedError} its sockets are not reached through a C library, as on Windows
 */
export function socketConstants(os: string = Deno.build.os): SocketConstants {
  const constants = BY_SYSTEM[os];
  if (constants === undefined) throw new UnsupportedError("open socket", "sockets in a C library");
  return constants;
}

/**
 * A number that a system may lack.
 *
 * @param value the number, `null` where it is missing
 * @param action what it is needed for
 * @param missing how the manual calls it
 * @returns the number
 * @throws {UnsupportedError} it is missing
 */
export function required(value: number | null, action: string, missing: string): number {
  if (value === null) throw new UnsupportedError(action, missing);
  return value;
}
