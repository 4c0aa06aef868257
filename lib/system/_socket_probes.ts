import { socketCalls } from "./_socket_calls.ts";
import { socketConstants } from "./_socket_constants.ts";
import type { AddressFamily } from "./proc_tcp.ts";
import { bytesOf, named, namedLength, namedPort, type SocketAddress } from "./socket_address.ts";

/** SOCK_STREAM and SOCK_DGRAM. Source: socket(2). */
export const TYPES = { tcp: 1, udp: 2 } as const;

/**
 * Asks something of a socket that is made for the question.
 *
 * @param protocol what is spoken over it
 * @param family the family of its addresses
 * @param question what is asked, of its descriptor
 * @returns the answer; `null` when there is no such socket to be had
 */
export function withProbe<T>(
  protocol: "tcp" | "udp",
  family: AddressFamily | "unix",
  question: (descriptor: number) => T,
): T | null {
  const { families, closeOnExec } = socketConstants();
  const { socket, close } = socketCalls();
  const descriptor = socket(families[family], TYPES[protocol] | (closeOnExec ?? 0), 0);
  if (descriptor < 0) return null;
  try {
    return question(descriptor);
  } finally {
    close(descriptor);
  }
}

/**
 * Whether this process may have another descriptor: every system has Unix sockets.
 *
 * @returns whether it may
 */
export function hasDescriptors(): boolean {
  return withProbe("udp", "unix", () => true) === true;
}

/**
 * Whether a socket can take an address.
 *
 * @param descriptor the socket's descriptor
 * @param address the address
 * @returns whether it has taken it
 */
export function canTake(descriptor: number, address: SocketAddress): boolean {
  const bytes = bytesOf(address);
  return socketCalls().bind(descriptor, bytes, bytes.length) === 0;
}

/**
 * Whether a socket can be connected to an address.
 *
 * @param descriptor the socket's descriptor
 * @param address the address
 * @returns whether it is connected
 */
export function canReach(descriptor: number, address: SocketAddress): boolean {
  const bytes = bytesOf(address);
  return socketCalls().connect(descriptor, bytes, bytes.length) === 0;
}

/**
 * Whether a socket has a local port.
 *
 * @param descriptor the socket's descriptor
 * @returns whether it has
 */
export function hasPort(descriptor: number): boolean {
  namedLength[0] = named.length;
  return socketCalls().getsockname(descriptor, named, namedLength) === 0 && namedPort() !== 0;
}

/**
 * Whether a socket is connected.
 *
 * @param descriptor the socket's descriptor
 * @returns whether it is
 */
export function hasPeer(descriptor: number): boolean {
  namedLength[0] = named.length;
  return socketCalls().getpeername(descriptor, named, namedLength) === 0;
}
