import { addressText, parseAddress } from "./_address.ts";
import { socketConstants } from "./_socket_constants.ts";
import type { AddressFamily, SocketEnd } from "./proc_tcp.ts";

/** The size of `struct sockaddr_in6`, the largest that is used here. */
const MOST_BYTES = 28;
const SIZE_BYTES = { ipv4: 16, ipv6: MOST_BYTES } as const;
const ADDRESS_AT = { ipv4: 4, ipv6: 8 } as const;

/** The bytes of a socket address, for the files beside this one. */
export let bytesOf: (address: SocketAddress) => Uint8Array<ArrayBuffer>;

/**
 * An address with a port as the system takes it: made once, used for any number of calls.
 *
 * Needs no right.
 *
 * @example
 * ```ts ignore
 * const server = new SocketAddress("127.0.0.1", 8080);
 * socket.connectTo(server);
 * ```
 */
export class SocketAddress implements SocketEnd {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** Its family. */
  readonly family: AddressFamily;
  /** The address: dotted for IPv4, as RFC 5952 has it for IPv6. */
  readonly address: string;
  /** The port; 0 where the system is to choose one. */
  readonly port: number;

  static {
    bytesOf = (address) => address.#bytes;
  }

  /**
   * Takes an address in text.
   *
   * @param address an IPv4 or IPv6 address, not a name, without brackets
   * @param port the port. @default {0, which lets the system choose}
   * @throws {TypeError} it is no address
   * @throws {RangeError} the port is not an integer from 0 to 65,535
   * @throws {UnsupportedError} this system has no such sockets
   */
  constructor(address: string, port = 0) {
    const parsed = parseAddress(address);
    if (parsed === null) {
      throw new TypeError(`Cannot use socket address as it is no IP address: current value is ${address}`);
    }
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new RangeError(
        `Cannot use port as it must be an integer from 0 to 65535: current value is ${port}`,
      );
    }
    this.family = parsed.length === 4 ? "ipv4" : "ipv6";
    this.address = addressText(parsed, 0, parsed.length === 4 ? 4 : 16);
    this.port = port;
    this.#bytes = encode(parsed, this.family, port);
  }
}

/** Source: ip(7), ipv6(7) (`struct sockaddr_in`, `sockaddr_in6`). */
function encode(address: Uint8Array, family: AddressFamily, port: number): Uint8Array<ArrayBuffer> {
  const { families, hasLength } = socketConstants();
  const bytes = new Uint8Array(new ArrayBuffer(SIZE_BYTES[family]));
  bytes[0] = hasLength ? bytes.length : families[family];
  bytes[1] = hasLength ? families[family] : 0;
  bytes[2] = port >> 8;
  bytes[3] = port & 255;
  bytes.set(address, ADDRESS_AT[family]);
  return bytes;
}

/**
 * Where the system writes the address of a socket. It is used again by the next call, so what it says is
 * read at once.
 */
export const named = new Uint8Array(new ArrayBuffer(MOST_BYTES));

/** The room in {@linkcode named} before a call, what was used of it after. */
export const namedLength = new Uint32Array(new ArrayBuffer(4));

/** The port in {@linkcode named}. */
export function namedPort(): number {
  return named[2]! << 8 | named[3]!;
}

/** The end of a connection in {@linkcode named}. */
export function namedEnd(family: AddressFamily): SocketEnd {
  return { address: addressText(named, ADDRESS_AT[family], family === "ipv4" ? 4 : 16), port: namedPort() };
}
