import { socketCalls } from "./_socket_calls.ts";
import { required, type SocketConstants, socketConstants } from "./_socket_constants.ts";

/** What can be set on a socket, and what each takes. */
export interface SocketOptions {
  /** SO_REUSEADDR: bind() may take a port whose sockets are in TIME_WAIT; on UDP also one that is in use. */
  readonly reuseAddress: boolean;
  /** SO_REUSEPORT: several sockets of one user may have the same address and port. */
  readonly reusePort: boolean;
  /** SO_LINGER: how long close() waits for what is unsent; 0 resets the connection; `null` switches it off. */
  readonly lingerSeconds: number | null;
  /** SO_SNDTIMEO: how long a blocking send() or connect() waits; 0 for as long as it takes. */
  readonly sendTimeoutMs: number;
  /** SO_RCVTIMEO: how long a blocking receive() waits; 0 for as long as it takes. */
  readonly receiveTimeoutMs: number;
  /** TCP_NODELAY: small segments are sent at once. */
  readonly noDelay: boolean;
  /** TCP_CONGESTION: the congestion control, such as `cubic`. */
  readonly congestionControl: string;
  /** IPV6_V6ONLY: an IPv6 socket does not serve IPv4. */
  readonly v6Only: boolean;
  /** IP_BIND_ADDRESS_NO_PORT: bind() to port 0 takes the address alone; connect() chooses the port. Linux 4.2. */
  readonly bindAddressNoPort: boolean;
  /**
   * IP_LOCAL_PORT_RANGE: the lowest and highest port that this socket may be given, inside the system's range;
   * 0 for the system's own bound. Linux 6.3.
   */
  readonly localPortRange: readonly [low: number, high: number];
}

/** The name of an option. */
export type SocketOptionName = keyof SocketOptions;

const IPPROTO_IP = 0;
const IPPROTO_TCP = 6;
const IPPROTO_IPV6 = 41;
/** Source: tcp(7); Linux, `include/uapi/linux/tcp.h`; macOS, `netinet/tcp.h`. */
const TCP_NODELAY = 1;

interface OptionKind<T> {
  readonly level: (constants: SocketConstants) => number;
  readonly option: (constants: SocketConstants) => number | null;
  /** How the manual calls it. */
  readonly manual: string;
  /** Writes the value as C has it, and gives its length in bytes. */
  readonly encode: (value: T) => number;
}

// A value is written here and read by the system before the call returns.
const words = new Uint32Array(new ArrayBuffer(16));
const bytes = new Uint8Array(words.buffer);
const wordLength = new Uint32Array(new ArrayBuffer(4));

function encodeFlag(value: boolean): number {
  words[0] = Number(value);
  return 4;
}

/** `struct linger`. Source: socket(7). */
function encodeLinger(seconds: number | null): number {
  words[0] = Number(seconds !== null);
  words[1] = seconds ?? 0;
  return 8;
}

/** `struct timeval` of a 64-bit system, little-endian. */
function encodeTimeout(ms: number): number {
  words[0] = Math.trunc(ms / 1000);
  words[1] = 0;
  words[2] = Math.round(ms % 1000 * 1000);
  words[3] = 0;
  return 16;
}

/** Source: ip(7): the lower bound in the low 16 bits, the upper in the high ones. */
function encodeRange([low, high]: readonly [number, number]): number {
  words[0] = low | high << 16;
  return 4;
}

/** TCP_CA_NAME_MAX, 16 with the zero at the end. Source: Linux, `include/net/tcp.h`. */
function encodeName(name: string): number {
  const { written } = new TextEncoder().encodeInto(name, bytes.subarray(0, 15));
  return written;
}

const socketLevel = ({ socketLevel }: SocketConstants) => socketLevel;

const KINDS: { readonly [N in SocketOptionName]: OptionKind<SocketOptions[N]> } = {
  reuseAddress: {
    level: socketLevel,
    option: ({ reuseAddress }) => reuseAddress,
    manual: "SO_REUSEADDR",
    encode: encodeFlag,
  },
  reusePort: {
    level: socketLevel,
    option: ({ reusePort }) => reusePort,
    manual: "SO_REUSEPORT",
    encode: encodeFlag,
  },
  lingerSeconds: {
    level: socketLevel,
    option: ({ linger }) => linger,
    manual: "SO_LINGER",
    encode: encodeLinger,
  },
  sendTimeoutMs: {
    level: socketLevel,
    option: ({ sendTimeout }) => sendTimeout,
    manual: "SO_SNDTIMEO",
    encode: encodeTimeout,
  },
  receiveTimeoutMs: {
    level: socketLevel,
    option: ({ receiveTimeout }) => receiveTimeout,
    manual: "SO_RCVTIMEO",
    encode: encodeTimeout,
  },
  noDelay: { level: () => IPPROTO_TCP, option: () => TCP_NODELAY, manual: "TCP_NODELAY", encode: encodeFlag },
  congestionControl: {
    level: () => IPPROTO_TCP,
    option: ({ congestionControl }) => congestionControl,
    manual: "TCP_CONGESTION",
    encode: encodeName,
  },
  v6Only: {
    level: () => IPPROTO_IPV6,
    option: ({ v6Only }) => v6Only,
    manual: "IPV6_V6ONLY",
    encode: encodeFlag,
  },
  bindAddressNoPort: {
    level: () => IPPROTO_IP,
    option: ({ bindAddressNoPort }) => bindAddressNoPort,
    manual: "IP_BIND_ADDRESS_NO_PORT",
    encode: encodeFlag,
  },
  localPortRange: {
    level: () => IPPROTO_IP,
    option: ({ localPortRange }) => localPortRange,
    manual: "IP_LOCAL_PORT_RANGE",
    encode: encodeRange,
  },
};

/**
 * Sets an option.
 *
 * @param descriptor the socket's descriptor
 * @param name the option
 * @param value its value
 * @returns whether the system took it
 * @throws {UnsupportedError} this system has no such option
 */
export function setSocketOption<N extends SocketOptionName>(
  descriptor: number,
  name: N,
  value: SocketOptions[N],
): boolean {
  const { level, option, manual, encode } = KINDS[name] as OptionKind<SocketOptions[N]>;
  const constants = socketConstants();
  const number = required(option(constants), `set ${name}`, manual);
  return socketCalls().setsockopt(descriptor, level(constants), number, bytes, encode(value)) === 0;
}

/**
 * The error that waits at a socket; reading it takes it away.
 *
 * Source: socket(7), SO_ERROR.
 *
 * @param descriptor the socket's descriptor
 * @returns its number, 0 for none
 */
export function takeSocketError(descriptor: number): number {
  const { socketLevel, error } = socketConstants();
  wordLength[0] = 4;
  return socketCalls().getsockopt(descriptor, socketLevel, error, words, wordLength) === 0 ? words[0]! : 0;
}
